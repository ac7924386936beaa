import type { Id } from '../../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import type { TextChange } from '../../../schema/feeds.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Lines, linesOf, wordingOf, type Wording } from './wording.ts'

/** What is kept of a change: what it was, and which look found it. */
type Kept = Wording & { at: string | null }

/** What a training hears of its source's new text, to tell what has changed. */
export interface Comparing {
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
