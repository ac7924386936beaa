import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Hands, Move } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { DutyStore } from './duty.sqlite.ts'
import { noticesOf, type Notices } from './notices.ts'
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
  isFollowedUp: (conversation: string) => boolean
  /** What a person is called, where they have said it; asked inside the transaction. */
  nameOf: (user: Id) => string | undefined
  clock: Clock
  /** Differs in tests only, which see what the table holds back. */
  table?: Table | undefined
}): Hands {
  return {
    decide ({ conversation, generating, speaker, agent, hasAddress }, event) {
      const { owner } = conversation
      const change = table(conversation, event, {
        at: timestamp(clock.micros()),
        speaker,
        agent,
        hasAddress,
        writes: generating?.seq ?? 0,
        isFollowedUp: isFollowedUp(conversation.id),
        hands: () => duty.hands(owner),
        mayAnswer: (user) => duty.mayAnswer(owner, user),
        ...duty.now(owner, QUEUE_MS)
      })
      if (!change) return undefined
      const { notice, change: { person } } = change
      const words = notice && wordsOf(notice, conversation, business.of(owner), person ? nameOf(person) : undefined)
      return { ...change, notice: words }
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
  const built = noticesOf(language)
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
  const text = (notice.key !== 'ticketed' && own[notice.key]) || built[notice.key]
  return { text: 'asksAddress' in notice && notice.asksAddress ? `${text} ${built.address}` : text, suggestions: [] }
}

/** That a person has come, and who it is: a business that says it in its own words says there whether it names them. */
function takenBy (name: string | undefined, own: string, built: Notices): string {
  if (own !== '') return own.replaceAll('{{name}}', () => name ?? built.taken)
  return name === undefined ? built.taken : `${built.taken} ${built.transferred.replace('{{name}}', () => name)}`
}
