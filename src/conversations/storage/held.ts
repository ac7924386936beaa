import type { Id } from '../../../schema/common.ts'
import type { Jobs } from '../../platform/storage/sqlite/jobs.ts'
import { settled, type Work } from '../../platform/storage/work.ts'
import type { Loaded } from '../contract.ts'
import type { Decision } from '../life/decision.ts'

/** The kind of the job that an answer is while it is written. */
export const ANSWER = 'conversations.answer'

/** Says in the tables which answers are being written, so that another process takes up those of one that dies. */
export interface HeldAnswers {
  /** What a decision about a conversation begins and ends; inside its transaction. */
  note (row: { owner: Id, number: number, id: string }, before: Loaded, decision: Decision): Work<void>
  /** This process cannot go on with the answer of a conversation: another may begin it anew. */
  letGo (conversation: string): Promise<void>
  /** The same of all that it writes. */
  release (): Promise<void>
}

/** Where one process serves it takes up at its start what was left, and nobody else has to know. */
export const holdsNothing: HeldAnswers = {
  note: () => settled(undefined), letGo: async () => {}, release: async () => {}
}

/** An answer is a job of the process that began it, from the commit that asks for it to the one that ends it. */
export function heldAnswers (jobs: Pick<Jobs, 'hold' | 'drop' | 'letGo' | 'release'>): HeldAnswers {
  /** Numbers of conversations by their ids. */
  const numbers = new Map<string, number>()
  return {
    * note ({ owner, number, id }, { generating }, { messages }) {
      if (messages.some(({ status }) => status === 'generating')) {
        numbers.set(id, number)
        yield * jobs.hold({ kind: ANSWER, subject: number, owner, payload: { conversation: id } })
      } else if (messages.some((message) => message.id === generating?.id)) {
        numbers.delete(id)
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
