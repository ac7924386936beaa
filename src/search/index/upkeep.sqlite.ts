import type { Database } from 'better-sqlite3'
import type { Secrets } from '../../platform/storage/secrets.ts'
import { isWithin } from '../best.ts'
import { BlockWriter, merging, without } from './blocks.ts'
import { rewriting } from './rewriting.sqlite.ts'
import { FAN, segmentsIn, type SegmentRow } from './segments.sqlite.ts'

/** Rows that go in one step, and trainings that are taken out of the index together. */
const ROWS_AT_ONCE = 16
const TRAININGS_AT_ONCE = 500

interface Removed { id: number, first: number, passages: number, words_secret: number | null }

/**
 * What is done to the index while nobody waits for it: what was removed is taken out, small segments are put together,
 * and what an older program indexed is written anew. Each `next` is a step of a millisecond, inside the caller's
 * transaction. Where such a transaction fails, all of it has to be begun anew: what it had staged is dropped then. Only
 * one may be under way in a file. `destroySome`: see `removed`.
 */
export function upkeep (db: Database, secrets: Secrets, destroySome: () => boolean) {
  const segments = segmentsIn(db)
  const { rewrite, isToBeRewritten } = rewriting(db, secrets)
  const dropStaged = db.prepare("UPDATE segments SET state = 'dropped' WHERE state <> 'live' AND state = 'staged'")
  const dropped = db.prepare<[], number>("SELECT id FROM segments WHERE state <> 'live' AND state = 'dropped' LIMIT 1").pluck()
  const dropBlocks = db.prepare(
    'DELETE FROM blocks WHERE id IN (SELECT id FROM blocks WHERE segment = ? LIMIT ?)')
  const dropBlock = db.prepare('DELETE FROM blocks WHERE id = ?')
  const dropSegment = db.prepare('DELETE FROM segments WHERE id = ?')
  const unfinished = db.prepare<[], number>("SELECT 1 FROM segments WHERE state <> 'live' LIMIT 1").pluck()
  const drop = db.prepare("UPDATE segments SET state = 'dropped' WHERE id = ?")
  const makeLive = db.prepare("UPDATE segments SET state = 'live' WHERE id = ? AND state = 'staged'")
  const changed = db.prepare('UPDATE segments SET version = version + 1 WHERE id = ?')
  const isEmpty = db.prepare<[number], number>('SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM blocks WHERE segment = ?)').pluck()

  const agentOfRemoved = db
    .prepare<[], number>("SELECT agent FROM trainings WHERE state = 'removed' AND passages > 0 LIMIT 1")
    .pluck()
  const removedOf = db.prepare<[number, number], Removed>(`
    SELECT id, first, passages, words_secret FROM trainings
    WHERE agent = ? AND state = 'removed' AND passages > 0 ORDER BY first LIMIT ?`)
  const hasOthers = db
    .prepare<[number, number], number>(
      'SELECT count(*) > ? FROM trainings WHERE agent = ? AND passages > 0')
    .pluck()
  const emptied = db.prepare('UPDATE trainings SET passages = 0, words_secret = NULL WHERE id = ?')
  const [dropGroups, dropVectors] = (['passage_groups', 'passage_vectors'] as const).map((table) =>
    db.prepare<[number, number, number]>(`
    DELETE FROM ${table} WHERE first IN (SELECT first FROM ${table} WHERE first BETWEEN ? AND ? LIMIT ?)`))
  const holding = db.prepare<[number, number, number], SegmentRow>(
    "SELECT id, low, high FROM segments WHERE agent = ? AND state = 'live' AND low <= ? AND high >= ?")

  const full = db.prepare<[number], { agent: number, level: number }>(`
    SELECT agent, level FROM segments WHERE state = 'live' GROUP BY agent, level HAVING count(*) >= ? LIMIT 1`)
  const ofLevel = db.prepare<[number, number, number], SegmentRow>(
    "SELECT id, low, high FROM segments WHERE agent = ? AND state = 'live' AND level = ? ORDER BY id LIMIT ?")

  /** Whether there may be a level that is full: what tells for sure reads the list of all segments. */
  let mayBeFull = true

  /** Takes rows out, some at a step. */
  function * inSteps (some: () => number): Generator<undefined, void> {
    while (some() > 0) yield
  }

  function * dropSegments (): Generator<undefined, boolean> {
    const segment = dropped.get()
    if (segment === undefined) return false
    yield * inSteps(() => dropBlocks.run(segment, ROWS_AT_ONCE).changes)
    dropSegment.run(segment)
    yield
    return true
  }

  /** Takes the removed trainings of an agent out of the file, many together: its segments are read once for all. */
  function * erase (): Generator<undefined, boolean> {
    const agent = agentOfRemoved.get()
    if (agent === undefined) return false
    // Of what was removed while others were being wiped.
    while (destroySome()) yield
    const removed = removedOf.all(agent, TRAININGS_AT_ONCE)
    for (const { first, passages } of removed) {
      const last = first + passages - 1
      yield * inSteps(() => dropVectors!.run(first, last, ROWS_AT_ONCE).changes)
      yield * inSteps(() => dropGroups!.run(first, last, ROWS_AT_ONCE).changes)
    }
    const gone = removed.map(({ first, passages }): [number, number] => [first, first + passages])
    if (hasOthers.get(removed.length, agent) === 1) yield * takeOut(agent, gone)
    else dropAll(agent)
    for (const { id, words_secret: words } of removed) {
      if (words !== null) secrets.destroy(words)
      emptied.run(id)
      yield
    }
    return true
  }

  function dropAll (agent: number): void {
    for (const { id } of holding.all(agent, Infinity, 0)) drop.run(id)
  }

  /** Takes passages out of the blocks that hold them, others stay as they are. `gone`: from, to; in order. */
  function * takeOut (agent: number, gone: Array<[number, number]>): Generator<undefined, void> {
    const isGone = (id: number) => isWithin(gone, id)
    for (const segment of holding.all(agent, gone.at(-1)![1], gone[0]![0])) {
      if (!gone.some(([from, to]) => from <= segment.high && to > segment.low)) continue
      for (const block of segments.blocksIn(segment)) {
        const left = without(block, segment.low, isGone)
        if (left) {
          dropBlock.run(block.id)
          segments.put(segment.id, left)
          changed.run(segment.id)
        }
        yield
      }
      if (isEmpty.get(segment.id) === 1) drop.run(segment.id)
    }
  }

  /** Puts segments of one level together into one of the next. */
  function * merge (): Generator<undefined, boolean> {
    const found = full.get(FAN)
    if (found === undefined) return false
    const { agent, level } = found
    const sources = ofLevel.all(agent, level, FAN)
    const within = {
      low: Math.min(...sources.map(({ low }) => low)), high: Math.max(...sources.map(({ high }) => high))
    }
    const staged = segments.begin(agent, level + 1, within, 'staged')
    const writer = new BlockWriter(within.low)
    const steps = merging(sources.map(segments.open), writer)
    while (!steps.next().done) {
      segments.put(staged, writer.full())
      yield
    }
    segments.put(staged, writer.rest())
    // Dropped by another that began meanwhile: what it was made of is as it was.
    if (makeLive.run(staged).changes === 0) return true
    for (const { id } of sources) drop.run(id)
    yield
    return true
  }

  return {
    /** See above. */
    * upkeep (): Generator<undefined, void> {
      dropStaged.run()
      yield * rewrite()
      while ((yield * erase()) || (yield * dropSegments()) || (yield * merge()));
    },

    /** Whether there is work left beside what was removed. */
    isUntidy: (): boolean =>
      unfinished.get() !== undefined || isToBeRewritten() || (mayBeFull &&= full.get(FAN) !== undefined),

    /** To be called when segments were added. */
    grown: (): void => { mayBeFull = true }
  }
}
