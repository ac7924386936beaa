import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { HandoffPolicy, Transition } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { fact } from '../platform/storage/facts.ts'
import type { Work } from '../platform/storage/work.ts'
import { timed } from './desk/timers.ts'
import type { DutyStore } from './duty.sqlite.ts'
import type { Notices } from '../locales/contract.ts'
import { textsIn } from '../locales/list.ts'
import { QUEUE_MS, type VisitorNotice } from './moves.ts'
import { decide, type Table } from './table.ts'

/** After this time a closed conversation is not reopened. */
const OVER_MS = 7 * 24 * 3_600_000

/**
 * The hand-off policy: the state machine with the current facts, such as who is on duty and the business's own texts.
 */
export function handoffPolicy ({ duty, business, isFollowedUp, nameOf, clock, table = decide }: {
  duty: DutyStore
  business: BusinessStore
  /** Whether a follow-up is still to come; run inside the transaction. */
  isFollowedUp: (conversation: string) => Work<boolean>
  /** The name a person has set, if any; called inside the transaction. */
  nameOf: (user: Id) => Work<string | undefined>
  clock: Clock
  /** Overridden in tests only, to see what the table withholds. */
  table?: Table | undefined
}): HandoffPolicy {
  return {
    transition ({ conversation, generating, speaker, agent, hasAddress }, event) {
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
 * The text of a notice: the business's own if it has one, in the language of the conversation. `name`: who has come, if
 * they have set a name.
 */
function wordsOf (
  notice: VisitorNotice,
  { language }: Pick<ConversationRecord, 'language'>,
  { notices: texts }: Pick<BusinessRecord, 'notices'>,
  name: string | undefined
): NonNullable<Transition['notice']> {
  const built = textsIn(language, 'notices')
  if (notice.key === 'taken') return { text: takenBy(name, texts.taken, built), suggestions: [] }
  if (notice.key === 'transferred') {
    return {
      text: (notice.prompt.trim() || built.transferred).replaceAll('{{name}}', () => notice.to.name), suggestions: []
    }
  }
  if (notice.key === 'offer') return { text: built.offer, suggestions: [built.person] }
  if (notice.key === 'noted') {
    return { text: notedAs(notice.email, built), suggestions: [] }
  }
  if (notice.key === 'address') return { text: built.address, suggestions: [] }
  const words = notice.key === 'passed' ? texts.ticket : notice.key !== 'ticketed' && texts[notice.key]
  const text = words || built[notice.key]
  if (!('asksAddress' in notice)) return { text, suggestions: [] }
  const { asksAddress, email } = notice
  const reached = email === undefined ? asksAddress && built.address : notedAs(email, built)
  return { text: reached ? `${text} ${reached}` : text, suggestions: [] }
}

/** The address that a visitor gave, said back. */
const notedAs = (email: string, { noted }: Notices): string => noted.replace('{{email}}', () => email)

/** That a person has come, and who: a business with a text of its own decides there whether it names them. */
function takenBy (name: string | undefined, text: string, built: Notices): string {
  if (text !== '') return text.replaceAll('{{name}}', () => name ?? built.taken)
  return name === undefined ? built.taken : `${built.taken} ${built.transferred.replace('{{name}}', () => name)}`
}
