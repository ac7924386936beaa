import type { Id } from '../../../schema/common.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Jobs } from '../../platform/storage/sqlite/jobs.ts'
import { settled, type Work } from '../../platform/storage/work.ts'
import type { DecisionInput } from '../contract.ts'
import type { Decision } from '../life/decision.ts'

/** The kind of job for an answer that is being written. */
export const ANSWER = 'conversations.answer'

/** Records in the database which answers are being written, so that others take up those of a dead process. */
export interface HeldAnswers {
  /** Answers started and ended by a decision; inside its transaction. */
  note (row: { owner: Id, number: number, id: string }, before: DecisionInput, decision: Decision): Work<void>
  /** This process cannot continue the answer of a conversation: another may restart it. */
  letGo (conversation: string): Promise<void>
  /** The same for all its answers. */
  release (): Promise<void>
}

/** A single process resumes what was left at its start, and nobody else has to know. */
export const holdsNothing: HeldAnswers = {
  note: () => settled(undefined), letGo: async () => {}, release: async () => {}
}

/** An answer is a job of the process that began it, from the commit requesting it to the one that ends it. */
export function heldAnswers (
  db: Pick<Database, 'afterwards'>, jobs: Pick<Jobs, 'hold' | 'drop' | 'letGo' | 'release'>
): HeldAnswers {
  /** Numbers of conversations by their ids, as committed: an end that was not committed is still to be let go of. */
  const numbers = new Map<string, number>()
  return {
    * note ({ owner, number, id }, { generating }, { messages }) {
      if (messages.some(({ status }) => status === 'generating')) {
        yield * db.afterwards(() => numbers.set(id, number))
        yield * jobs.hold({ kind: ANSWER, subject: number, owner, payload: { conversation: id } })
      } else if (messages.some((message) => message.id === generating?.id)) {
        yield * db.afterwards(() => numbers.delete(id))
        yield * jobs.drop(ANSWER, number)
      }
    },
    async letGo (conversation) {
      const number = numbers.get(conversation)
      numbers.delete(conversation)
      if (number !== undefined) await jobs.letGo(ANSWER, number)
    },
    release: jobs.release
  }
}
