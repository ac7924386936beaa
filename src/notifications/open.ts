import type { Id } from '../../schema/common.ts'
import type { Config, Kernel } from '../kernel/index.ts'
import type { Sent } from '../personal-data/contract.ts'
import { lazily } from '../platform/lazily.ts'
import { bareAddress } from '../platform/net/smtp.ts'
import { senderOf } from './seal.ts'
import { sqlitePushStore } from './store.sqlite.ts'
import type { PushStore } from './store.ts'
import { pushCalls, type CallNeeds } from './work.ts'

/** Push messages to people whose console is closed. */
export interface Push {
  store: PushStore
  /** The services that messages are sent through. */
  hosts (owner: Id): Promise<Sent[]>
}

/** Opens them: people are notified of all events from now on. */
export function openPush (kernel: Kernel, features: CallNeeds): Push {
  const { vault, config } = kernel
  const isOn = config.WEB_PUSH
  // Derived from the installation's own key, so that it is the same after a restart and in a restored backup.
  const sender = lazily(() => senderOf(Buffer.concat(['1', '2'].map((half) => vault.mac('web push', half)))))
  pushCalls({ ...kernel, ...features, isOn, sender, contact: contactOf(config) })
  const store = sqlitePushStore({ ...kernel, publicKey: () => isOn ? sender().publicKey : undefined })
  return {
    store,
    hosts: async (owner) => (await store.hosts(owner)).map((host) => ({ url: `https://${host}`, purpose: 'push' }))
  }
}

/** Contact for a push service about what is sent to it; Apple's accepts nothing without it. */
function contactOf ({ BASE_URL, MAIL_FROM }: Config): string | undefined {
  if (BASE_URL.startsWith('https://')) return BASE_URL
  return MAIL_FROM === '' ? undefined : `mailto:${bareAddress(MAIL_FROM)}`
}
