import { crc32 } from 'node:zlib'
import type { Database } from 'better-sqlite3'
import type { SegmentState } from '../../../schema/knowledge.ts'
import { blocksOf, SLICE, type Block, type Segment } from './blocks.ts'

/** So many segments of a level are put together into one of the next. */
export const FAN = 8

/** A segment as its row has it. Its passages are within `low` and `high`. */
export interface SegmentRow { id: number, low: number, high: number }

/** A block as its row has it. */
export interface BlockRow extends Block { id: number }

/** Writes segments. Every method runs inside the caller's transaction, and is short. */
export function segmentsIn (db: Database) {
  const begin = db
    .prepare<[number, number, number, number, SegmentState], number>(
      'INSERT INTO segments (agent, level, low, high, state) VALUES (?, ?, ?, ?, ?) RETURNING id')
    .pluck()
  const insert = db.prepare('INSERT INTO blocks (segment, term, first, data, sum) VALUES (?, ?, ?, ?, ?)')
  const idsOf = db.prepare<[number], number>('SELECT id FROM blocks WHERE segment = ? ORDER BY term, first').pluck()
  const block = db.prepare<[number], BlockRow>('SELECT id, term, first, data FROM blocks WHERE id = ?')

  const put = (segment: number, blocks: readonly Block[]) => {
    for (const { term, first, data } of blocks) insert.run(segment, term, first, data, crc32(data))
  }

  /** The blocks of a segment that are there now, read one by one. */
  function * blocksIn ({ id }: SegmentRow): Generator<BlockRow> {
    for (const one of idsOf.all(id)) yield block.get(one)!
  }

  return {
    /** Begins a segment. Its number. */
    begin: (agent: number, level: number, { low, high }: Omit<SegmentRow, 'id'>, state: SegmentState) =>
      begin.get(agent, level, low, high, state)!,

    put,
    blocksIn,

    /** A segment to be put together with others. */
    open: (segment: SegmentRow): Segment => ({ low: segment.low, blocks: blocksIn(segment) }),

    /** Writes down where the words of passages stand, numbered from `first`, as `entries` in impact.ts made them. */
    add (agent: number, first: number, passages: readonly string[], state: SegmentState): void {
      for (let at = 0; at < passages.length; at += SLICE) {
        const some = passages.slice(at, at + SLICE)
        const low = first + at
        put(begin.get(agent, 0, low, low + some.length - 1, state)!, blocksOf(low, some))
      }
    }
  }
}
