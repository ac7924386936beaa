import { crc32 } from 'node:zlib'
import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { TRAINING_COLUMNS, type TrainingRow } from './groups.ts'
import { openGroup } from './passage.ts'

/**
 * Sources of which passages, words, vectors or the index are damaged, of all that answer; on any connection.
 * Opens everything.
 */
export function damagedSources (raw: Database, secrets: Secrets): number[] {
  const trainings = raw.prepare<[], TrainingRow>(`SELECT ${TRAINING_COLUMNS} FROM trainings WHERE state = 'live'`)
  const groups = raw.prepare<
    [number, number],
    {
      first: number
      passages: number
      data: Buffer
      words: Buffer | null
      spellings: Buffer | null
      signs: Buffer | null
      numbers: Buffer | null
    }
  >(`
    SELECT g.first, g.passages, g.data, g.words, g.spellings, v.signs, v.numbers FROM passage_groups g LEFT JOIN passage_vectors v ON v.first = g.first
    WHERE g.first BETWEEN ? AND ? AND typeof(g.data) = 'blob'`)
  const isWhole = ({ first, passages, secret, words_secret: wordsSecret }: TrainingRow) => {
    try {
      for (const group of groups.iterate(first, first + passages - 1)) {
        const seal = secrets.seal(secret!)!
        openGroup(seal, group.first, group.data)
        if (group.words) secrets.seal(wordsSecret!)!.open(`words ${group.first}`, group.words)
        if (group.spellings) seal.open(`spellings ${group.first}`, group.spellings)
        if (group.signs) seal.open(`signs ${group.first}`, group.signs)
        if (group.numbers) seal.open(`numbers ${group.first}`, group.numbers)
      }
      return true
    } catch {
      return false
    }
  }
  const damaged = damagedRanges(raw)
  const isIndexed = ({ first, passages }: TrainingRow) =>
    !damaged.some(({ low, high }) => low < first + passages && high >= first)
  return trainings.all()
    .filter((training) => !isIndexed(training) || !isWhole(training)).map(({ source }) => source)
}

/** The passages of which the index is damaged. */
function damagedRanges (raw: Database): Array<{ low: number, high: number }> {
  const blocks = raw.prepare<[], { data: Buffer, sum: number, low: number, high: number }>(
    "SELECT data, sum, low, high FROM blocks JOIN segments ON segments.id = blocks.segment WHERE state = 'live'")
  const found: Array<{ low: number, high: number }> = []
  for (const { data, sum, low, high } of blocks.iterate()) if (crc32(data) !== sum) found.push({ low, high })
  return found
}
