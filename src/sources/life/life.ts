import { isDeepStrictEqual } from 'node:util'
import {
  hasOwnText, type KnowledgeSourceRecord, type PageChoice, type Progress, type SourceError
} from '../../../schema/knowledge.ts'
import { timestamp } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import { folderOf } from '../folders.ts'
import type { Brought, Child, SourceChange, Trained, SourceEvent, JobEvent } from '../contract.ts'
import { step, type DecisionContext, type Choice, type SourceRow, type LifeStep } from './step.ts'

/*
 * The life cycle of a source: events and what follows. Nothing here reads or writes: what follows is data, which the
 * store writes in one transaction with all that belongs to it.
 */

/**
 * The state of a source after each event, by the state before. `null`: the event is stale, and nothing follows: what
 * waits to be trained has to be begun first.
 */
export const LIFE: Record<
  Exclude<SourceEvent['kind'], 'changed' | 'removed' | 'seen' | 'brought' | 'gone'>,
  Record<Progress, Progress | null>
> = {
  //           waiting                being worked on           trained                   failed
  asked: { Pending: 'Pending', Processing: 'Pending', Success: 'Pending', Failed: 'Pending' },
  begun: { Pending: 'Processing', Processing: 'Processing', Success: 'Processing', Failed: 'Processing' },
  trained: { Pending: null, Processing: 'Success', Success: 'Success', Failed: 'Success' },
  unchanged: { Pending: null, Processing: 'Success', Success: 'Success', Failed: 'Success' },
  listed: { Pending: null, Processing: 'Success', Success: 'Success', Failed: 'Success' },
  postponed: { Pending: null, Processing: 'Pending', Success: 'Pending', Failed: 'Pending' },
  failed: { Pending: null, Processing: 'Failed', Success: 'Failed', Failed: 'Failed' }
}

/** Events that end the job they come from. */
export const ENDS: ReadonlySet<string> = new Set(['trained', 'unchanged', 'listed', 'failed'])

const HOUR_MS = 3_600_000

/**
 * What follows from an event, for the source and for its pages; undefined when the event is stale. Refuses with
 * `conflict` a change that its type does not allow, with VALIDATION_ERROR a folder of another agent.
 */
export function decide (
  source: KnowledgeSourceRecord, event: SourceEvent, around: DecisionContext
): LifeStep[] | undefined {
  if (event.kind === 'changed') return changed(source, event.change, around)
  if (event.kind === 'removed') {
    return [
      ...around.children.map((one) => step(one, { isRemoved: true })),
      step(source, { isRemoved: true, choice: chosen(source, 'removed') })
    ]
  }
  if (event.kind === 'seen') return [seen(source, event.child)]
  if (event.kind === 'brought') return [brought(source, event.item, around.now)]
  if (event.kind === 'gone') return [step(source, { isRemoved: true })]
  const status = LIFE[event.kind][source.status]
  if (status === null) return undefined
  const [own = step(source, {}), ...others] = follows(source, event, around)
  const stands = { status, training_status: status, error: 'error' in event ? event.error : null }
  const refresh = ENDS.has(event.kind) ? source.crawl?.refresh_hours : null
  return [{
    ...own,
    next: { ...own.next, ...stands },
    jobs: [...own.jobs, ...(refresh ? [{ later: 'train' as const, inMs: refresh * HOUR_MS }] : [])]
  }, ...others]
}

/** What an event does besides changing the status. */
function follows (
  source: KnowledgeSourceRecord, event: JobEvent | { kind: 'asked' }, around: DecisionContext
): LifeStep[] {
  switch (event.kind) {
    case 'asked': return [step(source, { jobs: [{ ask: 'train' }] })]
    case 'begun': return [step(source, {})]
    case 'postponed': return [step(source, {})]
    case 'unchanged': return [step(source, { fetched: event.fetched })]
    case 'trained': return trained(source, event.trained, around)
    case 'listed': return listed(source, event, around)
    case 'failed': return [failed(source, event)]
  }
}

/** Its new text takes the place of the old one. It may have been a site, and is one page now. */
function trained (
  source: KnowledgeSourceRecord,
  { text, training, metadata, title, fetched, change }: Trained,
  { children, embeds }: DecisionContext
): LifeStep[] {
  return [
    step(source, {
      next: {
        ...withoutFile(source),
        ...(title !== undefined && { title }),
        text_blob: text.blob,
        ...(change !== undefined && { change_blob: change }),
        total_training_usage_bytes: text.bytes,
        metadata: { ...source.metadata, ...metadata },
        sub_urls: null
      },
      fetched: fetched ?? null,
      passages: [{ publish: training }, { select: source.is_selected }],
      jobs: embeds ? [{ ask: 'embed' as const }] : []
    }),
    ...children.map((child) => step(child, { isRemoved: true }))
  ]
}

/**
 * Its pages or files are known: those that no longer exist are removed. It may have been one page, and is a site now:
 * its former text is replaced by its pages.
 */
function listed (
  source: KnowledgeSourceRecord,
  { keys, title, fetched, isPartial = false }: JobEvent & { kind: 'listed' },
  { children }: DecisionContext
): LifeStep[] {
  const found = new Set(keys)
  // A page that temporarily failed may link to others, which still exist.
  const gone = isPartial ? [] : children.filter((child) => !found.has(childKeyOf(child)))
  if (isPartial) for (const child of children) found.add(childKeyOf(child))
  return [
    step(source, {
      next: {
        ...NO_TEXT,
        sub_urls: [...found],
        metadata: { ...source.metadata, no_of_pages: found.size },
        ...(title && source.title === childKeyOf(source) && { title })
      },
      fetched,
      passages: ['remove']
    }),
    ...gone.map((child) => step(child, { isRemoved: true }))
  ]
}

/**
 * Its former text is still used, unless its page no longer exists. A replaced text whose successor is never trained
 * must not be found either. Nothing is remembered of what could not be read: the next check fetches it again, and does
 * not take the old text for the page's.
 */
function failed (source: KnowledgeSourceRecord, { error, isGone = false }: JobEvent & { kind: 'failed' }): LifeStep {
  const isReplaced = hasOwnText(source) && !error.retryable
  if (isGone) return step(source, forgotten(source))
  return step(source, {
    next: withoutFile(source), fetched: isFetched(source) ? {} : null, passages: isReplaced ? ['remove'] : []
  })
}

/** A page that is known was come across again by its site's job. */
function seen (
  source: KnowledgeSourceRecord, { file, fetched, changed, error, againInMs, isGone = false }: Child
): LifeStep {
  if (error) {
    // With its visit forgotten, the next check reads it again even if it is unchanged.
    const { next, passages, jobs } = isGone ? forgotten(source) : step(source, {})
    const again = againInMs === undefined ? [] : [{ ask: 'train' as const, inMs: againInMs }]
    return step(source, {
      next: { ...next, ...standing(error, againInMs) }, fetched: {}, passages, jobs: [...jobs, ...again]
    })
  }
  // Nothing that anybody is shown.
  if (!changed) return step(source, { fetched, isQuiet: true })
  return step(source, {
    next: {
      ...(file && {
        file_blob: file.blob, file_name: file.name, metadata: { ...source.metadata, file_size: `${file.bytes}B` }
      }),
      ...WAITING
    },
    fetched,
    jobs: [{ ask: 'train' }]
  })
}

/** Its feed has found it changed. Its former text is used until the new one is trained. */
function brought (source: KnowledgeSourceRecord, item: Brought, now: number): LifeStep {
  const { title, url, file, fetched, titleBefore } = item
  return step(source, {
    next: {
      ...(source.title === titleBefore && { title }),
      ...(url !== null && { urls: [url] }),
      file_blob: file.blob,
      file_name: file.name,
      metadata: { ...source.metadata, file_size: `${file.bytes}B` },
      ...originOf(item, now),
      ...WAITING
    },
    fetched,
    jobs: [{ ask: 'train' }]
  })
}

/** The state of a source that its feed has just read. */
export function originOf ({ changedAt }: Brought, now: number) {
  const at = timestamp(now)
  const isFresh = { stale: null, contradicts: null, misses: 0, is_gone: false }
  return { origin_changed_at: changedAt, checked_at: at, changed_at: at, ...isFresh }
}

/** A person's change: title, folder, whether it is used, a text's text, a website's reach. */
function changed (
  source: KnowledgeSourceRecord,
  { title, folder, is_selected: selected, text, crawl, review_by: reviewBy }: SourceChange,
  { now, folders, children }: DecisionContext
): LifeStep[] {
  if (text && !hasOwnText(source)) {
    throw new Refusal(
      'conflict', 'Only a text source can be given a new text; add a new source, or train this one again.'
    )
  }
  if (crawl && source.type !== 'website') throw new Refusal('conflict', 'Only a website source can be crawled.')
  // A page of a website follows its site, and can be chosen individually afterwards.
  const shared: Partial<SourceRow> = {
    ...(selected !== undefined && { is_selected: selected }),
    ...(folder !== undefined && { agent_knowledge_folder: folderOf(folders, folder, 'agent_knowledge_folder') })
  }
  const passages: LifeStep['passages'] = selected === undefined ? [] : [{ select: selected }]
  const next: Partial<SourceRow> = {
    ...shared,
    ...(title !== undefined && { title }),
    // Setting another date counts as a review.
    ...(reviewBy !== undefined && { review_by: reviewBy, ...(source.stale === 'old' && { stale: null }) }),
    ...(crawl && source.crawl && { crawl: { ...source.crawl, ...crawl } }),
    ...(text && {
      text_blob: text.blob,
      total_training_usage_bytes: text.bytes,
      metadata: { ...source.metadata, file_size: `${text.bytes}B`, no_of_chars: text.chars }
    })
  }
  const reaches =
    crawl &&
    !isDeepStrictEqual({ ...source.crawl, ...crawl, refresh_hours: null }, { ...source.crawl, refresh_hours: null })
  const isAsked = text !== undefined || reaches
  const jobs: LifeStep['jobs'] = isAsked ? [{ ask: 'train' }] : refreshed(source, crawl?.refresh_hours)
  const choice = selected === undefined ? null : chosen(source, selected ? null : 'deselected')
  const own = step(source, { next: { ...next, ...(isAsked && WAITING) }, passages, choice, jobs })
  const pages = children.map((child) => step(child, { next: shared, passages }))
  return [own, ...pages].filter(changesAnything).map((one) => ({ ...one, next: { ...one.next, version: now } }))
}

/** Sent as it was, nothing is changed. */
function changesAnything ({ source, next }: LifeStep): boolean {
  return Object.entries(next).some(([field, value]) => !isDeepStrictEqual(source[field as keyof SourceRow], value))
}

/** The interval of checks affects only the next one, and is no reason to check now. */
function refreshed ({ status }: KnowledgeSourceRecord, hours: number | null | undefined): LifeStep['jobs'] {
  if (hours === undefined || status === 'Pending' || status === 'Processing') return []
  return [hours === null ? { drop: 'train' } : { ask: 'train', inMs: hours * HOUR_MS }]
}

/** A person's decision about a page also applies to the next checks of its site; about a site, to all its pages. */
function chosen (source: KnowledgeSourceRecord, choice: PageChoice | null): Choice | null {
  if (source.parent_knowledge_source !== null) return { page: childKeyOf(source), choice }
  if (source.feed !== null && source.origin_key !== null) {
    return choice === 'removed' ? { feed: source.feed, key: source.origin_key } : null
  }
  return choice === 'removed' ? null : 'all selected'
}

/** Without a text: what it had said is given up. */
const NO_TEXT = { text_blob: null, change_blob: null, total_training_usage_bytes: 0 }

const WAITING = { status: 'Pending', training_status: 'Pending', error: null } as const

/**
 * Removes the former text of a page that no longer exists, and what was fetched of it, even if that is being read right
 * now.
 */
function forgotten (source: KnowledgeSourceRecord): Pick<LifeStep, 'next' | 'fetched' | 'passages' | 'jobs'> {
  return { next: { ...withoutFile(source), ...NO_TEXT }, fetched: {}, passages: ['remove'], jobs: [{ drop: 'train' }] }
}

/** The state of a page that could not be read: it waits to be retried, or has failed. */
export function standing (error: SourceError | undefined, againInMs: number | undefined) {
  const status = error && againInMs === undefined ? 'Failed' as const : 'Pending' as const
  return { status, training_status: status, error: error ?? null }
}

/** Fetched bytes are stored only until they have been read; uploaded files stay, to be downloaded again. */
function isFetched ({ type, file_blob: file }: KnowledgeSourceRecord): boolean {
  return type !== 'docs' && type !== 'faq' && file !== null
}

function withoutFile (source: KnowledgeSourceRecord): Partial<SourceRow> {
  return isFetched(source) ? { file_blob: null } : {}
}

/** What a page or a file is known by among those of its site or folder. */
export function childKeyOf ({
  urls, google_drive_file_id: drive
}: Pick<KnowledgeSourceRecord, 'urls' | 'google_drive_file_id'>): string {
  return drive ?? urls[0] ?? ''
}

/** Whether an event concerns the pages of a source too. */
export function concernsFamily (event: SourceEvent): boolean {
  if (event.kind === 'changed') return event.change.folder !== undefined || event.change.is_selected !== undefined
  return event.kind === 'removed' || event.kind === 'trained' || event.kind === 'listed'
}
