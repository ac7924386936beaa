import type { ConfigKind, ConfigState } from '../../schema/config.ts'
import type { Id } from '../../schema/common.ts'
import type { Work } from '../platform/storage/work.ts'

/** One thing that files can hold, as it is: `stamp` moves with every change that people make to it. */
export interface Standing {
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

/** What names things in files, and what was applied. Only this feature writes it. */
export interface ConfigStore {
  /** Everything of an account that files can hold. */
  standing (owner: Id): Promise<Standing[]>
  /** Of everything only an agent, and what is named of it: as quick in an account of any size. */
  named (owner: Id, named: Named): Promise<Standing[]>
  /** The same as it stands, inside a transaction. */
  namedNow (owner: Id, named: Named): Work<Standing[]>
  kept (owner: Id): Promise<Kept[]>
  /** Inside a transaction: gives things these keys, all at once, so that two may take each other's. */
  rename (owner: Id, keys: ReadonlyArray<Pick<Standing, 'kind' | 'id' | 'key'>>): Work<void>
  /** Inside a transaction: remembers what files hold from now on, in the place of what they held. */
  keep (owner: Id, kept: readonly Kept[]): Work<void>
  /** Inside a transaction: notes that files were applied. */
  note (owner: Id, applied: { user: Id | null, by: Applied['by'], ref: string, changes: number, at: string }): Work<void>
  /** Inside a transaction: the folders of an agent. */
  folders (owner: Id, agent: Id): Work<Array<{ id: Id, parent: Id | null, name: string }>>
  last (owner: Id): Promise<Applied | null>
  /** Both as they stand, inside a transaction. */
  standingNow (owner: Id): Work<Standing[]>
  lastNow (owner: Id): Work<Applied | null>
  /** Which file alone changes a thing; undefined where anybody may. */
  lockOf (owner: Id, kind: ConfigKind, id: Id): Promise<string | undefined>
}
