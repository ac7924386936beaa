import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Hands, Move } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { fact } from '../platform/storage/facts.ts'
import type { Work } from '../platform/storage/work.ts'
import { timed } from './desk/timers.ts'
import type { DutyStore } from './duty.sqlite.ts'
import type { Notices } from '../locales/contract.ts'
import { textsIn } from '../locales/list.ts'
import { QUEUE_MS, type Notice } from './moves.ts'
import { decide, type Table } from './table.ts'

/** After so long a closed conversation is not taken up again. */
const OVER_MS = 7 * 24 * 3_600_000

/**
 * Who speaks, by the table, with what is so at this moment: who is on duty, and what the business says in its own
 * words.
 */
export function handsOf ({ duty, business, isFollowedUp, nameOf, clock, table = decide }: {
  duty: DutyStore
  business: BusinessStore
  /** Whether a follow-up is still to come; asked inside the transaction. */
  isFollowedUp: (conversation: string) => Work<boolean>
  /** What a person is called, where they have said it; asked inside the transaction. */
  nameOf: (user: Id) => Work<string | undefined>
  clock: Clock
  /** Differs in tests only, which see what the table holds back. */
  table?: Table | undefined
}): Hands {
  return {
    decide ({ conversation, generating, speaker, agent, hasAddress }, event) {
      const { owner } = conversation
      const at = timestamp(clock.micros())
      const change = table(conversation, event, {
        at,
        speaker,
        agent,
        hasAddress,
        writes: generating?.seq ?? 0,
        isFollowedUp: fact(() => isFollowedUp(conversation.id)),
        hands: () => fact(() => duty.hands(owner)),
        mayAnswer: (user) => fact(() => duty.mayAnswer(owner, user)),
        ...fact(() => duty.now(owner, QUEUE_MS))
      })
      if (!change) return undefined
      const { notice, change: { person } } = change
      const settings = () => fact(() => business.of(owner))
      const words =
        notice && wordsOf(notice, conversation, settings(), person ? fact(() => nameOf(person)) : undefined)
      const timer = timed(conversation, change.change, at, settings)
      return {
        ...change, change: { ...change.change, ...timer.change }, jobs: [...change.jobs, ...timer.jobs], notice: words
      }
    },
    isOver: ({ status, successor, closed_at: closedAt }, at) => successor !== null ||
      (status === 'closed' && closedAt !== null && Date.parse(at) - Date.parse(closedAt) > OVER_MS)
  }
}

/**
 * A notice in words: the business's own where it has some, in the language of the conversation. `name`: who has come,
 * where they have said what they are called.
 */
function wordsOf (
  notice: Notice,
  { language }: Pick<ConversationRecord, 'language'>,
  { notices: own }: Pick<BusinessRecord, 'notices'>,
  name: string | undefined
): NonNullable<Move['notice']> {
  const built = textsIn(language, 'notices')
  if (notice.key === 'taken') return { text: takenBy(name, own.taken, built), suggestions: [] }
  if (notice.key === 'transferred') {
    return {
      text: (notice.prompt.trim() || built.transferred).replaceAll('{{name}}', () => notice.to.name), suggestions: []
    }
  }
  if (notice.key === 'offer') return { text: built.offer, suggestions: [built.person] }
  if (notice.key === 'noted') {
    return { text: built.noted.replace('{{email}}', () => notice.email), suggestions: [] }
  }
  const words = notice.key === 'passed' ? own.ticket : notice.key !== 'ticketed' && own[notice.key]
  const text = words || built[notice.key]
  return { text: 'asksAddress' in notice && notice.asksAddress ? `${text} ${built.address}` : text, suggestions: [] }
}

/** That a person has come, and who it is: a business that says it in its own words says there whether it names them. */
function takenBy (name: string | undefined, own: string, built: Notices): string {
  if (own !== '') return own.replaceAll('{{name}}', () => name ?? built.taken)
  return name === undefined ? built.taken : `${built.taken} ${built.transferred.replace('{{name}}', () => name)}`
}
