import type { Id } from '../../../schema/common.ts'
import type { ImportCounts, ImportKind, ImportRecord, ImportSummary } from '../../../schema/imports.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import type { StagedFile } from '../../sources/index.ts'

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** An agent was created or changed by an import. */
    'import.applied': { import: ImportSummary }
  }
}

/** The result of analysing the files of an import. */
export type Looked =
  | { kind: ImportKind, counts: ImportCounts, shown: Id, report: Id }
  | { error: { code: string, message: string } }

/** Stores imports. Every method is one transaction; an import that is missing, or somebody else's, is `undefined`. */
export interface ImportStore {
  /** The imports of an account, newest first. */
  list (owner: Id): Promise<ImportRecord[]>
  get (owner: Id, id: Id): Promise<ImportRecord | undefined>
  /** Refuses as `add` would, before anything is uploaded. */
  demandRoom (owner: Id, bytes: number): Promise<void>
  /**
   * Stores staged files, and requests their analysis. Refuses with `limit_reached` one import too many, with
   * `storage_limit_exceeded` more than the account may store.
   */
  add (
    owner: Id, files: StagedFile[], from: ImportKind | null, once?: IdempotencyKey
  ): Promise<IdempotentResult<ImportRecord>>
  /** Stores the analysis; deletes what was staged for it if the import is deleted. */
  looked (id: Id, looked: Looked): Promise<void>
  /** Stores which agents were created from it. */
  applied (owner: Id, id: Id, agents: readonly Id[]): Promise<ImportRecord | undefined>
  remove (owner: Id, id: Id): Promise<boolean>
  /** The owner of an import to be analysed; undefined if that is no longer wanted. */
  waiting (id: Id): Promise<ImportRecord | undefined>
  /** Deletes files that nobody applied in time. True when there may be more. */
  expire (): Promise<boolean>
}

/** An import as a list shows it. */
export function summaryOf (
  { owner: _owner, files, shown: _shown, report: _report, ...kept }: ImportRecord
): ImportSummary {
  return { ...kept, files: files.map(({ name }) => name) }
}

/** Reads summaries of imports; undefined if there is no such import. */
export const summariesIn = (store: Pick<ImportStore, 'get'>) => async (owner: Id, id: Id) => {
  const kept = await store.get(owner, id)
  return kept && summaryOf(kept)
}
