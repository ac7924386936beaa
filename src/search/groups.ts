import type { Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
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
export function findTraining (db: Statements) {
  return db.objects<[number], TrainingRow>(`SELECT ${TRAINING_COLUMNS} FROM trainings WHERE id = ?`)
}

/** The words of a group as programs up to 0.5 kept them, sealed apart from its passages. */
export interface GroupRow { first: number, words: Buffer }

/** Seals a group: its passages, and how their words are spelt. */
type SealGroup = (
  first: number, group: Array<Kept & { spellings?: number[] }>
) => [data: Buffer, spellings: Buffer | null]

/** How a training's groups are kept: their passages and how their words are spelt, sealed. */
export function * sealsOf (secrets: Secrets, { secret }: Pick<TrainingRow, 'secret'>): Work<SealGroup> {
  const seal = (yield * secrets.seal(secret!))!
  return (first, group) => {
    const spellings = Uint32Array.from(group.flatMap(({ spellings = [] }) => spellings))
    return [
      sealGroup(seal, first, group.map(keptOf)),
      spellings.length === 0 ? null : seal.close(`spellings ${first}`, new Uint8Array(spellings.buffer))
    ]
  }
}

/** The words of a group, passage by passage; none where they are damaged. */
export function * wordsIn (
  secrets: Secrets, { first, words }: GroupRow, { words_secret: secret }: Pick<TrainingRow, 'words_secret'>
): Work<string[]> {
  const seal = yield * secrets.seal(secret!)
  try {
    return seal!.open(`words ${first}`, words).toString().split('\n')
  } catch {
    return []
  }
}

/** A passage without what only the index needs. */
function keptOf ({ text, start, heading, page, row, lastRow }: Kept): Kept {
  return { text, start, heading, page, row, lastRow }
}
