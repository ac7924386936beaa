import type { Kernel } from '../../kernel/index.ts'
import { hostList } from '../../platform/net/address.ts'
import type { AuditLog } from '../../platform/storage/audit.ts'
import { clientsOver, type ClientOf } from './client.ts'
import type { GrantStore } from './store.ts'
import { sqliteGrantStore } from './store.sqlite.ts'

/** Assistants that people have granted access: which ones, and who they are. */
export interface Assistants { grants: GrantStore, clientOf: ClientOf }

/** Opens them. */
export function openAssistants (kernel: Kernel, { audit }: { audit: Pick<AuditLog, 'add'> }): Assistants {
  const { out, clock, config } = kernel
  return {
    grants: sqliteGrantStore({ ...kernel, audit }),
    clientOf: clientsOver({ out, clock, mayBePlain: openedBy(config.ALLOWED_HOSTS) })
  }
}

/** Whether an address has a host that the operator has opened: an assistant under development may run there. */
function openedBy (allowedHosts: readonly string[]): (address: string) => boolean {
  const isOpen = hostList(allowedHosts)
  return (address) => {
    const { hostname, port } = new URL(address)
    return isOpen(hostname, port || '80')
  }
}
