import type { Id } from '../../../schema/common.ts'
import type { ImportCounts, ImportKind, ImportRecord, ImportSummary } from '../../../schema/imports.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'
import type { StagedFile } from '../../sources/index.ts'

declare module '../../platform/work/announcements.ts' {
  interface Happenings {
    /** An agent was made or changed of an import. */
    'import.applied': { import: ImportSummary }
  }
}

/** What became of looking into the files of an import. */
export type Looked =
  | { kind: ImportKind, counts: ImportCounts, shown: Id, report: Id }
  | { error: { code: string, message: string } }

/**
 * Where imports rest. Every method is one transaction; an import that is missing, or somebody else's, is `undefined`.
 */
export interface ImportStore {
  /** The imports of an account, newest first. */
  list (owner: Id): Promise<ImportRecord[]>
  get (owner: Id, id: Id): Promise<ImportRecord | undefined>
  /** Refuses as `add` does for what is about to be sent, before it is. */
  demandRoom (owner: Id, bytes: number): Promise<void>
  /**
   * Keeps files that are staged, and asks that they are looked into. Refuses with `limit_reached` one import too many,
   * with `storage_limit_exceeded` what is more than the account may keep.
   */
  add (owner: Id, files: StagedFile[], from: ImportKind | null, once?: Once): Promise<Outcome<ImportRecord>>
  /** Notes what the files are; drops what was staged for that where the import is gone. */
  looked (id: Id, looked: Looked): Promise<void>
  /** Notes which agents were made of it. */
  applied (owner: Id, id: Id, agents: readonly Id[]): Promise<ImportRecord | undefined>
  remove (owner: Id, id: Id): Promise<boolean>
  /** Whose import it is that is to be looked into; undefined where that is not wanted any more. */
  waiting (id: Id): Promise<ImportRecord | undefined>
  /** Deletes files that nobody has applied in time. True when there may be more. */
  expire (): Promise<boolean>
}

/** An import as a list shows it. */
export function summaryOf (
  { owner: _owner, files, shown: _shown, report: _report, ...kept }: ImportRecord
): ImportSummary {
  return { ...kept, files: files.map(({ name }) => name) }
}
