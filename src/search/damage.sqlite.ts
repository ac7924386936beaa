import { crc32 } from 'node:zlib'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { TRAINING_COLUMNS, type TrainingRow } from './groups.ts'
import { openGroup } from './passage.ts'

/** Rows read at a time. */
const DAMAGE_ROWS = 200

interface GroupRow {
  first: number
  passages: number
  data: Buffer
  words: Buffer | null
  spellings: Buffer | null
  signs: Buffer | null
  numbers: Buffer | null
}

/**
 * Sources of which passages, words, vectors or the index are damaged, of all that answer; on any connection.
 * Opens everything.
 */
export function * damagedSources (db: Statements, secrets: Secrets): Work<number[]> {
  const trainings = db.objects<[], TrainingRow>(`SELECT ${TRAINING_COLUMNS} FROM trainings WHERE state = 'live'`)
  const groups = db.objects<[number, number, number], GroupRow>(`
    SELECT g.first, g.passages, g.data, g.words, g.spellings, v.signs, v.numbers FROM passage_groups g LEFT JOIN passage_vectors v ON v.first = g.first
    WHERE g.first BETWEEN ? AND ? AND typeof(g.data) = 'blob' ORDER BY g.first LIMIT ?`)

  function * isWhole ({ first, passages, secret, words_secret: wordsSecret }: TrainingRow): Work<boolean> {
    const seal = yield * secrets.seal(secret!)
    const wordsSeal = wordsSecret === null ? undefined : yield * secrets.seal(wordsSecret)
    const last = first + passages - 1
    for (let from = first; from <= last;) {
      const some = yield * groups.all(from, last, DAMAGE_ROWS)
      try {
        for (const group of some) {
          openGroup(seal!, group.first, group.data)
          if (group.words) wordsSeal!.open(`words ${group.first}`, group.words)
          if (group.spellings) seal!.open(`spellings ${group.first}`, group.spellings)
          if (group.signs) seal!.open(`signs ${group.first}`, group.signs)
          if (group.numbers) seal!.open(`numbers ${group.first}`, group.numbers)
        }
      } catch {
        return false
      }
      if (some.length < DAMAGE_ROWS) break
      from = some.at(-1)!.first + 1
    }
    return true
  }

  const damaged = yield * damagedRanges(db)
  const isIndexed = ({ first, passages }: TrainingRow) =>
    !damaged.some(({ low, high }) => low < first + passages && high >= first)
  const found: number[] = []
  for (const training of yield * trainings.all()) {
    if (!isIndexed(training) || !(yield * isWhole(training))) found.push(training.source)
  }
  return found
}

/** The passages of which the index is damaged. */
function * damagedRanges (db: Statements): Work<Array<{ low: number, high: number }>> {
  const blocks = db.objects<[number, number], { id: number, data: Buffer, sum: number, low: number, high: number }>(`
    SELECT blocks.id, data, sum, low, high FROM blocks JOIN segments ON segments.id = blocks.segment
    WHERE state = 'live' AND blocks.id > ? ORDER BY blocks.id LIMIT ?`)
  const found: Array<{ low: number, high: number }> = []
  for (let after = 0; ;) {
    const some = yield * blocks.all(after, DAMAGE_ROWS)
    for (const { data, sum, low, high } of some) if (crc32(data) !== sum) found.push({ low, high })
    if (some.length < DAMAGE_ROWS) return found
    after = some.at(-1)!.id
  }
}
