import { crc32 } from 'node:zlib'
import type { SegmentState } from '../../../schema/knowledge.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import { blocksOf, SLICE, type Block, type Segment } from './blocks.ts'

/** This many segments of a level are merged into one of the next. */
export const FAN = 8

/** A segment as its row has it. Its passages are within `low` and `high`. */
export interface SegmentRow { id: number, low: number, high: number }

/** A block as its row has it. */
interface BlockRow extends Block { id: number }

/** Writes segments. Every method runs inside the caller's transaction, and is short. */
export function segmentsIn (db: Statements) {
  const begin = db.column<[number, number, number, number, SegmentState], number>(
    'INSERT INTO segments (agent, level, low, high, state) VALUES (?, ?, ?, ?, ?) RETURNING id')
  const insert = db.objects('INSERT INTO blocks (segment, term, first, data, sum) VALUES (?, ?, ?, ?, ?)')
  const idsOf = db.column<[number], number>('SELECT id FROM blocks WHERE segment = ? ORDER BY term, first')
  const block = db.objects<[number], BlockRow>('SELECT id, term, first, data FROM blocks WHERE id = ?')

  function * put (segment: number, blocks: readonly Block[]): Work<void> {
    for (const { term, first, data } of blocks) yield * insert.run(segment, term, first, data, crc32(data))
  }

  /** Reads the blocks of a segment that are there when the first of them is read, one by one. */
  function blocksIn ({ id }: SegmentRow): () => Work<BlockRow | undefined> {
    let ids: number[] | undefined
    let at = 0
    return function * () {
      ids ??= yield * idsOf.all(id)
      const next = ids[at++]
      return next === undefined ? undefined : yield * block.get(next)
    }
  }

  return {
    /** Begins a segment. Its number. */
    * begin (agent: number, level: number, { low, high }: Omit<SegmentRow, 'id'>, state: SegmentState): Work<number> {
      return (yield * begin.get(agent, level, low, high, state))!
    },

    put,
    blocksIn,

    /** A segment to be put together with others. */
    open: (segment: SegmentRow): Segment => ({ low: segment.low, next: blocksIn(segment) }),

    /** Writes the postings of passages, numbered from `first`, as `entries` in scores.ts made them. */
    * add (agent: number, first: number, passages: readonly string[], state: SegmentState): Work<void> {
      for (let at = 0; at < passages.length; at += SLICE) {
        const some = passages.slice(at, at + SLICE)
        const low = first + at
        const segment = (yield * begin.get(agent, 0, low, low + some.length - 1, state))!
        yield * put(segment, blocksOf(low, some))
      }
    }
  }
}
