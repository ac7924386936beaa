import type { Id } from '../../../schema/common.ts'
import type { Fetched, FolderRecord, KnowledgeSourceRecord, PageChoice } from '../../../schema/knowledge.ts'
import { Refusal } from '../../platform/errors.ts'
import { overCeiling, overStorage } from '../accounting.ts'
import type { AccountRoom } from '../contract.ts'

/** A source as its table has it. */
export type SourceRow = Omit<KnowledgeSourceRecord, 'plain_text'>

/**
 * What is done about work: asked for, in the place of what was asked before; asked for later, unless it is already; no
 * longer wanted. `inMs`: after so many milliseconds.
 */
export type JobChange = { ask: 'train' | 'embed', inMs?: number } | { later: 'train', inMs: number } | { drop: 'train' }

/** What becomes of a source's passages: a training is published, they are used or not, they are not found any more. */
export type PassageChange = { publish: Id } | { select: boolean } | 'remove'

/**
 * A page of a site was removed or is not to be used, by a person; or it is again, and with its site all that were not.
 * Of a feed, something was removed that it is not to bring again.
 */
export type Choice = { page: string, choice: PageChoice | null } | 'all selected' | { feed: Id, key: string }

/** What follows for one source: written in one transaction, in this order. */
export interface LifeStep {
  source: KnowledgeSourceRecord
  /** What of its row changes. Blobs that it names no longer are given up, new ones are kept. */
  next: Partial<SourceRow>
  passages: PassageChange[]
  /** What is remembered from now on of where it was read; null: what was. */
  fetched: Fetched | null
  /** What a person decided about it, for the next looks at its site. */
  choice: Choice | null
  jobs: JobChange[]
  /** It goes, with everything that is its. */
  isRemoved: boolean
  /** Nobody is shown any of this, so nobody is told. */
  isQuiet: boolean
}

/** What a decision may depend on beside its source. */
export interface Around {
  /** Microseconds since 1970. */
  now: number
  /** Its pages or files, where the event concerns them. */
  children: KnowledgeSourceRecord[]
  /** All folders of the agent, where one is asked for. */
  folders: FolderRecord[]
  /** Whether passages are embedded once they are published. */
  embeds: boolean
}

/** A step of which only this much is said. */
export function step (source: KnowledgeSourceRecord, said: Partial<Omit<LifeStep, 'source'>>): LifeStep {
  return {
    source, next: {}, passages: [], fetched: null, choice: null, jobs: [], isRemoved: false, isQuiet: false, ...said
  }
}

type Weighed = Pick<SourceRow, 'is_selected' | 'total_training_usage_bytes' | 'file_blob' | 'text_blob' | 'metadata'>

/** Bytes of text that a source counts for its agent. */
export function countedAs ({ is_selected: selected, total_training_usage_bytes: bytes }: Weighed): number {
  return selected ? bytes : 0
}

/**
 * Bytes that a source keeps in the data file: its file and its text. The trigger in the migration says the same, and
 * counts what is remembered of pages too.
 */
export function stored ({
  file_blob: file, text_blob: text, metadata, total_training_usage_bytes: bytes
}: Weighed): number {
  return (file === null ? 0 : parseInt(metadata.file_size)) + (text === null ? 0 : bytes)
}

/** How many bytes more (or fewer) are counted and stored once these steps are taken and these sources added. */
export function weigh (steps: LifeStep[], added: Weighed[] = []): { counted: number, stored: number } {
  const sum = (bytes: (one: Weighed) => number) =>
    steps.reduce(
      (total, { source, next, isRemoved }) => total - bytes(source) + (isRemoved ? 0 : bytes({ ...source, ...next })),
      0
    ) + added.reduce((total, one) => total + bytes(one), 0)
  return { counted: sum(countedAs), stored: sum(stored) }
}

/**
 * Refuses with `training_limit_exceeded` or `storage_limit_exceeded` what is more than fits. What takes nothing more is
 * never refused.
 */
export function checkRoom (
  asked: { counted: number, stored: number }, room: { training: AccountRoom, storage: AccountRoom }
) {
  if (asked.counted > 0 && room.training.used + asked.counted > room.training.allowed) {
    throw overCeiling(room.training, asked.counted)
  }
  if (asked.stored > 0 && room.storage.used + asked.stored > room.storage.allowed) {
    throw overStorage(room.storage, asked.stored)
  }
}

/** Sources that an agent may have. */
export const MOST_SOURCES = 10_000

/** Refuses with `limit_reached` more sources than an agent may have. */
export function checkNumber (there: number, more: number) {
  if (there + more <= MOST_SOURCES) return
  throw new Refusal(
    'limit_reached',
    `This agent has ${there} sources and may have ${MOST_SOURCES}. Remove some, or put several texts into one.`
  )
}
