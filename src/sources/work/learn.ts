import type { Id } from '../../../schema/common.ts'
import { type Fetched, hasOwnText, type KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Blobs, Staged } from '../../platform/storage/sqlite/blobs.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Job } from '../../platform/work/jobs.ts'
import { learnApart, type LearntAbout, type Reading } from '../../reading/apart.ts'
import type { PassageIndex } from '../../search/passages.sqlite.ts'
import { severalAhead } from '../stage.ts'
import type { TrainingStore } from '../store.ts'
import type { StagedText, Trained } from '../contract.ts'
import { Failed, NOTHING_THERE, Unwanted } from './failure.ts'
import type { FetchedContent } from './fetched-content.ts'
import type { TextChange } from '../../../schema/feeds.ts'
import { Refusal } from '../../platform/errors.ts'
import { Lines, linesOf, type Wording, wordingOf } from './wording.ts'

/** What learning needs; see TrainingNeeds. */
interface LearningNeeds extends Pick<Kernel, 'db' | 'jobs'> {
  store: TrainingStore
  blobs: Blobs
  index: PassageIndex
  reading: Reading
}

/**
 * Passages written into the index in one piece of a commit: 4 ms of work, and all that the child sends at once unless
 * they are short.
 */
const SLICE = 96
/**
 * Pieces under way while the child's next ones are read: as many go into one commit as its time allows, and neither
 * side waits for the other.
 */
const AHEAD = 6

/** Turns bytes into a source's text and passages, and puts them in the place of those that it had. */
export function learner ({ db, jobs, store, blobs, index, reading }: LearningNeeds) {
  return learn

  /** Reads and indexes bytes while the source keeps what it has, then replaces that. */
  async function learn (
    job: Job, source: KnowledgeSourceRecord, { bytes, task, size, fetched }: FetchedContent, signal: AbortSignal
  ) {
    const isWritten = hasOwnText(source)
    const compared = comparing(blobs, source)
    let change: Id | null | undefined
    let staged: Staged | undefined
    let about: LearntAbout | undefined
    let training: Id | undefined
    let ordinal = 0
    const written = severalAhead(AHEAD)
    const prior = await db.read(() => index.spoken(source.agent))
    try {
      for await (const said of learnApart(bytes, { ...task, prior }, { ...reading, holder: job.owner, signal })) {
        if ('about' in said) {
          const { language, passages } = (about = said.about)
          training = await ifWanted(job, () =>
            index.begin({ agent: source.agent, source: source.id, language, selected: source.is_selected }, passages)
          )
        } else if ('text' in said) {
          compared?.hears(said.text)
          await written.add((staged ??= await blobs.stage()).write(said.text))
        } else {
          for (let at = 0; at < said.passages.length; at += SLICE) {
            const slice = said.passages.slice(at, at + SLICE)
            const from = ordinal + at
            await written.add(ifWanted(job, () => index.add(training!, slice, from)))
          }
          ordinal += said.passages.length
        }
      }
      await written.all()
      if (!about || training === undefined) throw new Failed(NOTHING_THERE)
      change = await compared?.staged()
      await publish(job, source, about, { isWritten, staged, training, size, fetched, change })
      staged = undefined
    } catch (error) {
      await staged?.discard()
      if (change) await blobs.discard(change)
      if (training !== undefined) {
        await db.atomically(
          () => index.discard(training!, source.id), { frees: true }
        )
      }
      throw error
    }
  }

  /**
   * Writes only while the result is wanted: what a deleted source had begun may be wiped already, and its number given
   * to another.
   */
  function ifWanted<T> (job: Job, work: () => Work<T>) {
    return db.atomically(function * () {
      if (!(yield * jobs.isCurrent(job))) throw new Unwanted()
      return yield * work()
    })
  }

  async function publish (
    job: Job,
    source: KnowledgeSourceRecord,
    about: LearntAbout,
    {
      isWritten, staged, training, size, fetched, change
    }: {
      isWritten: boolean, staged: Staged | undefined, training: Id, size?: number, fetched?: Fetched, change?: Id | null
    }
  ) {
    const { format, title, pages, rows, hidden, bytes, chars, passages } = about
    const text: StagedText = isWritten
      ? {
          blob: source.text_blob!,
          bytes: source.total_training_usage_bytes,
          chars: source.metadata.no_of_chars ?? chars
        }
      : { blob: staged!.id, bytes, chars }
    const named = source.title === source.urls[0] || source.title === source.google_drive_file_id
    const better = title ?? Object.values(fetched ?? {})[0]?.title
    const isTitled = source.file_name !== '' && ((format === 'html' && title !== null) || source.metadata.title)
    const trained: Trained = {
      text,
      training,
      metadata: {
        format: isWritten ? 'text' : format,
        no_of_pages: pages,
        no_of_rows: rows,
        no_of_chars: text.chars,
        no_of_hidden_chars: hidden,
        no_of_passages: passages,
        ...(isTitled && { title: format === 'html' ? title : null }),
        ...(size !== undefined && { file_size: `${size}B` })
      },
      ...(named && better && { title: better.slice(0, 500) }),
      ...(fetched && { fetched }),
      ...(change !== undefined && { change })
    }
    if (await store.happened(job, { kind: 'trained', trained })) return
    // Deleted, or requested again, while it was being read.
    await staged?.discard()
    if (change) await blobs.discard(change)
    await db.atomically(() => index.discard(training, source.id), { frees: true })
  }
}

/** What is kept of a change: what it was, and which look found it. */
type Kept = Wording & { at: string | null }

/** What a training hears of its source's new text, to tell what has changed. */
interface Comparing {
  hears (piece: string): void
  /** What has changed, staged; null: an earlier change no longer counts; undefined: nothing has. */
  staged (): Promise<Id | null | undefined>
}

/** Compares what a feed's source says with what it said; undefined for all other sources, and for what said nothing. */
export function comparing (
  blobs: Blobs, { feed, text_blob: before, changed_at: at }: KnowledgeSourceRecord
): Comparing | undefined {
  if (feed === null || before === null) return undefined
  const now = new Lines()
  return {
    hears: (piece) => { now.add(piece) },
    async staged () {
      const then = await readable(linesOf(blobs.readText(before)))
      if (!then) return null
      const wording = wordingOf(then, now.end())
      if (!wording) return undefined
      const kept: Kept = { at, ...wording }
      const staged = await blobs.stage()
      await staged.write(JSON.stringify(kept))
      return staged.id
    }
  }
}

/** What the last look that found a source otherwise has changed of its text, line by line. */
export async function changeOf (blobs: Blobs, source: KnowledgeSourceRecord): Promise<TextChange> {
  const { id, status, feed, is_gone: isGone, text_blob: text, change_blob: change, changed_at: at } = source
  const told = { source: id, at }
  const nothing = { added: 0, removed: 0, is_cut: false, hunks: [] }
  if (isGone && text !== null) {
    const all = await linesOf(blobs.readText(text))
    return { ...told, state: 'gone', ...(wordingOf(all, new Lines()) ?? nothing) }
  }
  if (feed !== null && (status === 'Pending' || status === 'Processing')) return { ...told, state: 'waiting', ...nothing }
  const kept = change === null ? undefined : await readKept(blobs, change)
  // Nothing found since then was to be reported.
  if (!kept || kept.at !== at) return { ...told, state: 'unknown', ...nothing }
  return { ...told, state: 'changed', ...kept }
}

async function readKept (blobs: Blobs, change: Id): Promise<Kept | undefined> {
  let text = ''
  for await (const piece of blobs.readText(change)) text += piece
  return JSON.parse(text) as Kept
}

/** What was read; undefined where it is damaged or gone: what is learnt in its place is not to fail for that. */
async function readable<T> (reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
