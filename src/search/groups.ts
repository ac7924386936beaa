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

/** The words of a group as programs up to 0.5 kept them, sealed apart from its passages. */
export interface GroupRow { first: number, words: Buffer }

/** How a training's groups are kept: their passages and how their words are spelt, sealed. */
export function sealsOf (secrets: Secrets, { secret }: Pick<TrainingRow, 'secret'>) {
  const seal = secrets.seal(secret!)!
  return (first: number, group: Array<Kept & { spellings?: number[] }>): [data: Buffer, spellings: Buffer | null] => {
    const spellings = Uint32Array.from(group.flatMap(({ spellings = [] }) => spellings))
    return [
      sealGroup(seal, first, group.map(keptOf)),
      spellings.length === 0 ? null : seal.close(`spellings ${first}`, new Uint8Array(spellings.buffer))
    ]
  }
}

/** The words of a group, passage by passage; none where they are damaged. */
export function wordsIn (
  secrets: Secrets, { first, words }: GroupRow, { words_secret: secret }: Pick<TrainingRow, 'words_secret'>
): string[] {
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
