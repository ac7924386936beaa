import type { Changes } from '../../platform/storage/changes.ts'
import type { Secrets } from '../../platform/storage/secrets.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import { step, type Sliced, type Work } from '../../platform/storage/work.ts'
import { isWithin } from '../scores.ts'
import { BlockWriter, merging, without } from './blocks.ts'
import { rewriting } from './rewriting.sqlite.ts'
import { FAN, segmentsIn, type SegmentRow } from './segments.sqlite.ts'

/** Rows that go in one step, and trainings that are taken out of the index together. */
const ROWS_AT_ONCE = 16
const TRAININGS_AT_ONCE = 500

interface Removed { id: number, first: number, passages: number, words_secret: number | null }

/**
 * Background maintenance of the index: removed passages are taken out, small segments are merged, and entries of older
 * versions are rewritten. Each `next` is a step of a millisecond, inside the caller's transaction. If such a
 * transaction fails, all of it has to start from scratch: what it had staged is dropped then. Only one may be under way
 * in a file. `destroySome`: see `removed`; `grown`: when segments may have been added, here or in another process.
 */
export function upkeep (
  db: Statements, secrets: Secrets, destroySome: () => Work<boolean>, grown: Pick<Changes, 'generation'>
) {
  const segments = segmentsIn(db)
  const { rewrite, isToBeRewritten } = rewriting(db, secrets)
  const dropStaged = db.objects("UPDATE segments SET state = 'dropped' WHERE state <> 'live' AND state = 'staged'")
  const dropped = db.column<[], number>("SELECT id FROM segments WHERE state <> 'live' AND state = 'dropped' LIMIT 1")
  const dropBlocks = db.objects('DELETE FROM blocks WHERE id IN (SELECT id FROM blocks WHERE segment = ? LIMIT ?)')
  const dropBlock = db.objects('DELETE FROM blocks WHERE id = ?')
  const dropSegment = db.objects('DELETE FROM segments WHERE id = ?')
  const unfinished = db.column<[], number>("SELECT 1 FROM segments WHERE state <> 'live' LIMIT 1")
  const drop = db.objects("UPDATE segments SET state = 'dropped' WHERE id = ?")
  const makeLive = db.objects("UPDATE segments SET state = 'live' WHERE id = ? AND state = 'staged'")
  const changed = db.objects('UPDATE segments SET version = version + 1 WHERE id = ?')
  const isEmpty = db.column<[number], number>('SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM blocks WHERE segment = ?)')

  const agentOfRemoved = db.column<[], number>(
    "SELECT agent FROM trainings WHERE state = 'removed' AND passages > 0 LIMIT 1")
  const removedOf = db.objects<[number, number], Removed>(`
    SELECT id, first, passages, words_secret FROM trainings
    WHERE agent = ? AND state = 'removed' AND passages > 0 ORDER BY first LIMIT ?`)
  const trainingsOf = db.column<[number], number>('SELECT count(*) FROM trainings WHERE agent = ? AND passages > 0')
  const emptied = db.objects('UPDATE trainings SET passages = 0, words_secret = NULL WHERE id = ?')
  const [dropGroups, dropVectors] = (['passage_groups', 'passage_vectors'] as const).map((table) =>
    db.objects<[number, number, number]>(`
    DELETE FROM ${table} WHERE first IN (SELECT first FROM ${table} WHERE first BETWEEN ? AND ? LIMIT ?)`))
  const holding = db.objects<[number, number, number], SegmentRow>(
    "SELECT id, low, high FROM segments WHERE agent = ? AND state = 'live' AND low <= ? AND high >= ?")

  const full = db.objects<[number], { agent: number, level: number }>(`
    SELECT agent, level FROM segments WHERE state = 'live' GROUP BY agent, level HAVING count(*) >= ? LIMIT 1`)
  const ofLevel = db.objects<[number, number, number], SegmentRow>(
    "SELECT id, low, high FROM segments WHERE agent = ? AND state = 'live' AND level = ? ORDER BY id LIMIT ?")

  /** As of when no level was full: to know it, the list of all segments has to be read. */
  let checked: number | undefined

  /** Takes rows out, some at a step. */
  function * untilNone (some: () => Work<number>): Sliced<void> {
    while ((yield * some()) > 0) yield
  }

  function * dropSegments (): Sliced<boolean> {
    const segment = yield * dropped.get()
    if (segment === undefined) return false
    yield * untilNone(() => dropBlocks.run(segment, ROWS_AT_ONCE))
    yield * dropSegment.run(segment)
    yield
    return true
  }

  /** Takes the removed trainings of an agent out of the file, many together: its segments are read once for all. */
  function * erase (): Sliced<boolean> {
    const agent = yield * agentOfRemoved.get()
    if (agent === undefined) return false
    // Of what was removed while others were being wiped.
    while (yield * destroySome()) yield
    const removed = yield * removedOf.all(agent, TRAININGS_AT_ONCE)
    for (const { first, passages } of removed) {
      const last = first + passages - 1
      yield * untilNone(() => dropVectors!.run(first, last, ROWS_AT_ONCE))
      yield * untilNone(() => dropGroups!.run(first, last, ROWS_AT_ONCE))
    }
    const gone = removed.map(({ first, passages }): [number, number] => [first, first + passages])
    if ((yield * trainingsOf.get(agent))! > removed.length) yield * takeOut(agent, gone)
    else yield * dropAll(agent)
    for (const { id, words_secret: words } of removed) {
      if (words !== null) yield * secrets.destroy(words)
      yield * emptied.run(id)
      yield
    }
    return true
  }

  function * dropAll (agent: number): Work<void> {
    for (const { id } of yield * holding.all(agent, Number.MAX_SAFE_INTEGER, 0)) yield * drop.run(id)
  }

  /** Takes passages out of the blocks that hold them, others stay as they are. `gone`: from, to; in order. */
  function * takeOut (agent: number, gone: Array<[number, number]>): Sliced<void> {
    const isGone = (id: number) => isWithin(gone, id)
    for (const segment of yield * holding.all(agent, gone.at(-1)![1], gone[0]![0])) {
      if (!gone.some(([from, to]) => from <= segment.high && to > segment.low)) continue
      const next = segments.blocksIn(segment)
      for (let block = yield * next(); block; block = yield * next()) {
        const left = without(block, segment.low, isGone)
        if (left) {
          yield * dropBlock.run(block.id)
          yield * segments.put(segment.id, left)
          yield * changed.run(segment.id)
        }
        yield
      }
      if ((yield * isEmpty.get(segment.id)) === 1) yield * drop.run(segment.id)
    }
  }

  /** Puts segments of one level together into one of the next. */
  function * merge (): Sliced<boolean> {
    const found = yield * full.get(FAN)
    if (found === undefined) return false
    const { agent, level } = found
    const sources = yield * ofLevel.all(agent, level, FAN)
    const within = {
      low: Math.min(...sources.map(({ low }) => low)), high: Math.max(...sources.map(({ high }) => high))
    }
    const staged = yield * segments.begin(agent, level + 1, within, 'staged')
    const writer = new BlockWriter(within.low)
    const merged = merging(sources.map(segments.open), writer)
    while (!(yield * step(merged)).done) {
      yield * segments.put(staged, writer.full())
      yield
    }
    yield * segments.put(staged, writer.rest())
    // Dropped by another that began meanwhile: what it was made of is as it was.
    if ((yield * makeLive.run(staged)) === 0) return true
    for (const { id } of sources) yield * drop.run(id)
    yield
    return true
  }

  return {
    /** See above. */
    * upkeep (): Sliced<void> {
      yield * dropStaged.run()
      yield * rewrite()
      while ((yield * erase()) || (yield * dropSegments()) || (yield * merge()));
    },

    /**
     * Whether there is work left besides what was removed. To be called before the transaction in which it is taken:
     * what is committed during that is not seen there.
     */
    isUntidy (): Work<boolean> {
      const now = grown.generation()
      return (function * () {
        if ((yield * unfinished.get()) !== undefined || (yield * isToBeRewritten())) return true
        const isFull = checked !== now && (yield * full.get(FAN)) !== undefined
        if (!isFull) checked = now
        return isFull
      })()
    }
  }
}
