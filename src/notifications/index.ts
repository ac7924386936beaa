import { lazily } from '../platform/lazily.ts'
import { senderOf } from './seal.ts'
import { sqlitePushStore, type CheckAddress } from './store.sqlite.ts'
import type { PushStore } from './store.ts'
import { pushCalls, type PushingNeeds } from './work.ts'

export { pushRoutes } from './routes.ts'
export type { PushStore } from './store.ts'

/** Builds what notifies people whose console is closed: it receives all events from now on. */
export function openPush ({ check, ...parts }: Omit<PushingNeeds, 'sender'> & { check: CheckAddress }): PushStore {
  const { vault, isOn } = parts
  // Derived from the installation's own key, so that it is the same after a restart and in a restored backup.
  const sender = lazily(() => senderOf(Buffer.concat(['1', '2'].map((half) => vault.mac('web push', half)))))
  pushCalls({ ...parts, sender })
  return sqlitePushStore({ ...parts, check, publicKey: () => isOn ? sender().publicKey : undefined })
}
