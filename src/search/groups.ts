import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { sealGroup, type Kept } from './passage.ts'

/** Passages kept, and sealed, together: fewer cost more each, more take longer to wipe and to show. */
export const GROUP = 8

/** A training as its row has it. */
export interface TrainingRow {
  id: number
  agent: number
  source: number
  first: number
  passages: number
  secret: number | null
  words_secret: number | null
}

/** The columns of a TrainingRow. */
export const TRAINING_COLUMNS = 'id, agent, source, first, passages, secret, words_secret'

/** A training by its number. */
export function findTraining (db: Database) {
  return db.prepare<[number], TrainingRow>(`SELECT ${TRAINING_COLUMNS} FROM trainings WHERE id = ?`)
}

/**
 * A group's words are sealed apart from its passages: when the words are taken out of the index, nobody may be able to
 * open the passages any more.
 */
export interface GroupRow { first: number, words: Buffer | null, data: string | null }

/** How a training's groups are kept: their passages, their words and how these are spelt, sealed. */
export function sealsOf (
  secrets: Secrets, { secret, words_secret: wordsSecret }: Pick<TrainingRow, 'secret' | 'words_secret'>
) {
  const [seal, wordsSeal] = [secrets.seal(secret!)!, secrets.seal(wordsSecret!)!]
  return (
    first: number, group: Array<Kept & { words: string, spellings?: number[] }>
  ): [data: Buffer, words: Buffer, spellings: Buffer | null] => {
    const spellings = Uint32Array.from(group.flatMap(({ spellings = [] }) => spellings))
    return [
      sealGroup(seal, first, group.map(keptOf)),
      wordsSeal.close(`words ${first}`, group.map(({ words }) => words).join('\n')),
      spellings.length === 0 ? null : seal.close(`spellings ${first}`, new Uint8Array(spellings.buffer))
    ]
  }
}

/**
 * The words of a group, passage by passage; none where they are damaged, and stay in the index, where they lead
 * nowhere.
 */
export function wordsIn (
  secrets: Secrets, { first, words, data }: GroupRow, { words_secret: secret }: TrainingRow
): string[] {
  if (words === null) return (JSON.parse(data!) as Array<{ words: string }>).map(({ words }) => words)
  try {
    return secrets.seal(secret!)!.open(`words ${first}`, words).toString().split('\n')
  } catch {
    return []
  }
}

/** A passage without what only the index needs. */
function keptOf ({ text, start, heading, page, row, lastRow }: Kept): Kept {
  return { text, start, heading, page, row, lastRow }
}
