import type { Id } from '../../../schema/common.ts'
import {
  hasOwnText, type Fetched, type FolderRecord, type KnowledgeSourceRecord, type PageChoice
} from '../../../schema/knowledge.ts'
import { Refusal } from '../../platform/errors.ts'
import type { DomainEvent } from '../../platform/work/event-bus.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import { overCeiling, overStorage } from '../accounting.ts'
import type { AccountRoom } from '../contract.ts'

/** A source as its table has it. */
export type SourceRow = Omit<KnowledgeSourceRecord, 'plain_text'>

/**
 * Changes of jobs: request one, replacing an earlier one; request one later, unless there is one; cancel. `inMs`: delay
 * in milliseconds.
 */
export type JobChange = { ask: 'train' | 'embed', inMs?: number } | { later: 'train', inMs: number } | { drop: 'train' }

/** Changes of a source's passages: a training is published, they are used or not, they are removed from search. */
export type PassageChange = { publish: Id } | { select: boolean } | 'remove'

/**
 * A page of a site was removed or is not to be used, by a person; or it is again, and with its site all that were not.
 * Of a feed, something was removed that it is not to bring again.
 */
export type Choice = { page: string, choice: PageChoice | null } | 'all selected' | { feed: Id, key: string }

/** Changes of one source: written in one transaction, in this order. */
export interface LifeStep {
  source: KnowledgeSourceRecord
  /** What of its row changes. Blobs that it names no longer are given up, new ones are kept. */
  next: Partial<SourceRow>
  passages: PassageChange[]
  /** What is remembered from now on of where it was read; null: what was. */
  fetched: Fetched | null
  /** A person's decision about it, for the next checks of its site. */
  choice: Choice | null
  jobs: JobChange[]
  /** It is deleted, with everything that belongs to it. */
  isRemoved: boolean
  /** Nothing visible changes, so no watcher is notified. */
  isQuiet: boolean
}

/** What a decision may depend on besides its source. */
export interface DecisionContext {
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
 * Refuses with `training_limit_exceeded` or `storage_limit_exceeded` what does not fit. Steps that add nothing are
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

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    'source.trained': { source: SourceRow }
    'source.failed': { source: SourceRow }
    /** The same of a source that a feed has brought. */
    'source.freshened': { source: SourceRow }
  }
}

/**
 * The domain event of a step in a source's life cycle: that it ended. Pages of a site, and files of a folder, announce
 * nothing: there may be thousands. Those of a feed only inform other features; the feed reports on all of them.
 */
export function domainEventsOf ({ source, next, isRemoved }: LifeStep): DomainEvent[] {
  const { training_status: status } = next
  if (isRemoved || source.parent_knowledge_source !== null || status === source.training_status) return []
  const about = { owner: source.owner, agent: source.agent, data: { source: { ...source, ...next } } }
  if (source.feed !== null) return status === 'Success' ? [{ ...about, type: 'source.freshened' }] : []
  if (status === 'Success') return [{ ...about, type: 'source.trained' }]
  return status === 'Failed' ? [{ ...about, type: 'source.failed' }] : []
}

/**
 * The job that trains a source. What has to be fetched first waits for others; a text or a file that is here is not
 * queued behind it.
 */
export function training (
  { id, owner, type, file_blob: file }: Pick<SourceRow, 'id' | 'owner' | 'type' | 'file_blob'>, inMs = 0
): JobRequest {
  return {
    kind: 'train',
    subject: id,
    owner,
    inMs,
    lane: hasOwnText({ type, file_blob: file }) || file !== null ? 'here' : 'outside'
  }
}

/** The job that embeds what a source was trained on, by a service. */
export function embedding ({ id, owner }: Pick<SourceRow, 'id' | 'owner'>): JobRequest {
  return { kind: 'embed', subject: id, owner, lane: 'outside' }
}
