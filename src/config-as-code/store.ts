import type { ConfigKind, ConfigState } from '../../schema/config.ts'
import type { Id } from '../../schema/common.ts'
import type { Work } from '../platform/storage/work.ts'

/** One thing that files can hold, as it is: `stamp` moves with every change that people make to it. */
export interface Stamped {
  kind: ConfigKind
  /** Its number; of the settings of an account the account's. */
  id: Id
  key: string
  /** Of a source or a question its agent, of an action its connection. */
  parent: Id | null
  stamp: string
}

/** What is remembered of something that files hold. */
export interface Kept {
  kind: ConfigKind
  id: Id
  place: string
  file: string
  isMade: boolean
  isLocked: boolean
  stamp: string
  at: string
}

/** When files were applied. */
export type Applied = NonNullable<ConfigState['last']>

/** One thing of an agent by its key, and sources of that agent that are named by their numbers. */
export interface Named { agent: string, kind?: 'source' | 'question', key?: string, sources?: readonly Id[] }

/** Stores the keys of objects in files, and what was applied. Only this feature writes it. */
export interface ConfigStore {
  /** Everything of an account that files can hold. */
  standing (owner: Id): Promise<Stamped[]>
  /** Of everything only an agent, and what is named of it: as quick in an account of any size. */
  named (owner: Id, named: Named): Promise<Stamped[]>
  /** The same, read inside a transaction. */
  namedNow (owner: Id, named: Named): Work<Stamped[]>
  kept (owner: Id): Promise<Kept[]>
  /** Inside a transaction: gives things these keys, all at once, so that two may take each other's. */
  rename (owner: Id, keys: ReadonlyArray<Pick<Stamped, 'kind' | 'id' | 'key'>>): Work<void>
  /** Inside a transaction: remembers what files hold from now on, in the place of what they held. */
  keep (owner: Id, kept: readonly Kept[]): Work<void>
  /** Inside a transaction: notes that files were applied. */
  note (owner: Id, applied: { user: Id | null, by: Applied['by'], ref: string, changes: number, at: string }): Work<void>
  /** Inside a transaction: the folders of an agent. */
  folders (owner: Id, agent: Id): Work<Array<{ id: Id, parent: Id | null, name: string }>>
  last (owner: Id): Promise<Applied | null>
  /** Both, read inside a transaction. */
  standingNow (owner: Id): Work<Stamped[]>
  lastNow (owner: Id): Work<Applied | null>
  /** The only file that may change an object; undefined if anybody may. */
  lockOf (owner: Id, kind: ConfigKind, id: Id): Promise<string | undefined>
}
