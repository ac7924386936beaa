import type { ConversationPatch, ConversationRecord, Feedback, MessageRecord } from '../../../schema/conversations.ts'
import { microsOf, timestamp } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { codeOf } from '../../platform/languages.ts'
import type { ConversationJob, Ending, HandsEvent, Loaded } from '../contract.ts'
import type { Answer, Decision, Given, Said } from './decision.ts'
import { followed, messageOf, moveOf, NO_MOVE, touched } from './follow.ts'

/*
 * The life of an answer, as pure decisions: what a conversation and its last messages become when something happens.
 * The store loads what is asked here, calls one of these, and writes what comes back in one transaction.
 *
 *   visitor's message ──► generating ──► complete
 *                          │  ▲   ├────► stopped    somebody stopped it
 *                          │  │   └────► failed     the model died, or it was begun three times
 *                          └──┘ restarted: after a crash, or because a further message came before it could be seen
 */

/** How often an answer is begun before it counts as failed. */
export const MOST_ATTEMPTS = 3

const SUBJECT = 120

/**
 * A visitor says something. While the agent speaks, one answer is asked for: the one being written if `superseded`
 * (nothing of it has been seen, so it is begun anew and answers both), otherwise one further when it is done. Who
 * speaks afterwards is decided by the hands.
 */
export function receive (loaded: Loaded, said: Said, given: Given, superseded: boolean): Decision {
  const { generating } = loaded
  const { language, page } = loaded.conversation
  const conversation = { ...loaded.conversation, language: said.language ?? language, page: said.page ?? page }
  const move = moveOf(
    { ...loaded, conversation },
    {
      type: 'said',
      seq: conversation.messages + 1,
      wantsPerson: said.wantsPerson,
      isThanks: said.isThanks,
      address: said.address
    },
    given
  )
  // An answer that is begun anew moves behind what it now answers too.
  const moved = superseded && !move.stops && generating?.seq === conversation.messages ? generating : undefined
  const seq = moved ? moved.seq : conversation.messages + 1
  const visitor = {
    ...messageOf(conversation, {
      id: given.messageId,
      seq,
      role: 'visitor',
      text: said.text,
      client_id: said.client_id,
      attachments: said.attachments,
      at: given.at
    }),
    guarded: said.guarded ?? []
  }
  const answers = move.answers && (generating === undefined || move.stops)
  const follows = followed(loaded, conversation, { ...move, answers }, given, seq)
  const answer = moved ? { ...moved, seq: seq + (move.notice ? 2 : 1) } : undefined
  const run = follows.run ?? (superseded ? given.soFar()?.run : undefined)
  return {
    ...follows,
    ...(run && { run }),
    conversation: {
      ...follows.conversation,
      messages: Math.max(follows.conversation.messages, answer?.seq ?? 0),
      last_message_at: given.at,
      subject: conversation.subject || subjectOf(said.text),
      course: { ...follows.conversation.course, vouched: said.vouched ?? null }
    },
    messages: [visitor, ...(answer ? [answer] : []), ...follows.messages],
    events: [
      ...follows.events.filter(({ seq: about }) => about === 0),
      { type: 'message.created', seq },
      ...(answer ? [{ type: 'message.restarted' as const, seq: answer.seq }] : []),
      ...follows.events.filter(({ seq: about }) => about !== 0)
    ]
  }
}

/**
 * A person answers, and takes the conversation over where nobody else has. Refuses with `taken_over` where somebody
 * has.
 */
export function reply (
  loaded: Loaded, said: Pick<Said, 'text' | 'client_id' | 'attachments'>, person: number, given: Given
): Decision {
  const { conversation } = loaded
  const follows = followed(
    loaded, conversation, moveOf(loaded, { type: 'replied', person }, given), given, conversation.messages
  )
  const seq = follows.conversation.messages + 1
  const message = {
    ...messageOf(conversation, { id: given.messageId, seq, role: 'person', ...said, at: given.at }), author: person
  }
  return {
    ...follows,
    conversation: { ...follows.conversation, messages: seq, last_message_at: given.at },
    messages: [...follows.messages, message],
    events: [...follows.events, { type: 'message.created', seq }]
  }
}

/**
 * The agent says a fixed text of its own accord: nobody else speaks, and nothing else is said. Undefined: it does not.
 */
export function remark (
  { conversation }: Loaded, said: { text: string, jobs: ConversationJob[] } | undefined, { at, messageId }: Given
): Decision | undefined {
  if (!said) return undefined
  const { text, jobs } = said
  const seq = conversation.messages + 1
  const message = {
    ...messageOf(conversation, { id: messageId, seq, role: 'agent', text, client_id: null, attachments: [], at }),
    answered_by: 'canned' as const
  }
  return {
    conversation: touched(conversation, at, { messages: seq, last_message_at: at }),
    messages: [message],
    events: [{ type: 'message.created', seq }],
    jobs
  }
}

/**
 * What a person has written elsewhere, such as in a mail, stands here too; who speaks stays as it is. Undefined where
 * it stands here already, where the conversation is closed, and while an answer is being written, which it would seem
 * to ask for another one.
 */
export function relay (loaded: Loaded, said: Pick<Said, 'text' | 'client_id'>, given: Given): Decision | undefined {
  const { conversation, generating, repeated } = loaded
  if (repeated || generating || conversation.status === 'closed') return undefined
  const { at, messageId } = given
  const seq = conversation.messages + 1
  return {
    conversation: touched(conversation, at, {
      ...moveOf(loaded, { type: 'relayed' }, given).change, messages: seq, last_message_at: at
    }),
    messages: [messageOf(conversation, { id: messageId, seq, role: 'person', ...said, attachments: [], at })],
    events: [{ type: 'message.created', seq }]
  }
}

/** Something happens to who speaks that nobody said. Undefined where it counts no more. */
export function handOver (loaded: Loaded, event: HandsEvent, given: Given): Decision | undefined {
  const move = given.hands.decide(loaded, event)
  return move && followed(loaded, loaded.conversation, move, given, loaded.conversation.messages)
}

/** Whether visitors' messages stand behind this answer, which it does not answer. */
export function isWaitedFor (conversation: ConversationRecord, answer: MessageRecord): boolean {
  return conversation.messages > answer.seq
}

/**
 * The answer is written, stopped or has failed. Undefined when it has ended already: of a stop and a completion that
 * race, the first one counts. One that was begun in an earlier `epoch` is not said: somebody else speaks by now. Where
 * visitors' messages wait behind it, one further answer begins.
 */
export function finish (loaded: Loaded, id: string, answer: Answer, epoch: number, given: Given): Decision | undefined {
  const { conversation, generating } = loaded
  if (generating?.id !== id) return undefined
  const { run, hindered = null, proposal = null, unknown = false, ...written } = answer
  const ending: Ending = {
    status: answer.status, isUnknown: unknown, isCited: answer.citations.length > 0, hindered, proposal
  }
  const move = given.hands.decide(loaded, { type: 'ended', epoch, ending })
  const ended: MessageRecord = move ? { ...generating, ...written, unknown } : { ...generating, status: 'stopped' }
  const isAsked = isWaitedFor(conversation, generating)
  const follows = followed(
    loaded,
    conversation,
    { ...(move ?? NO_MOVE), answers: isAsked || (move?.answers ?? false), stops: false },
    given,
    conversation.messages
  )
  return {
    ...follows,
    conversation: { ...follows.conversation, last_message_at: given.at },
    messages: [ended, ...follows.messages],
    events: [{ type: 'message.completed', seq: ended.seq }, ...follows.events],
    ...(run && { run })
  }
}

/** An answer that a crash cut off is begun again, or given up when it was begun too often. */
export function resume (loaded: Loaded, given: Given): Decision | undefined {
  const { conversation, generating } = loaded
  if (!generating) return undefined
  if (generating.attempts >= MOST_ATTEMPTS) {
    return finish(loaded, generating.id, {
      text: generating.text,
      status: 'failed',
      citations: [],
      suggestions: [],
      answered_by: generating.answered_by ?? 'model',
      model: generating.model,
      usage: null,
      error: { code: 'interrupted', message: 'The answer was interrupted several times. Ask again.' }
    }, conversation.epoch, given)
  }
  return {
    conversation: touched(conversation, given.at, {}),
    messages: [{ ...generating, attempts: generating.attempts + 1 }],
    events: [{ type: 'message.restarted', seq: generating.seq }]
  }
}

/** Whether there is still something to stop. Refuses with `not_an_answer` what is none of the agent. */
export function isToStop ({ role, status }: MessageRecord): boolean {
  if (role !== 'agent') throw new Refusal('not_an_answer', 'Only an answer of the agent can be stopped.')
  return status === 'generating'
}

/**
 * Writes an answer anew, beside the old one. Refuses with `in_progress` while one is being written, and what is not the
 * last answer.
 */
export function regenerate (
  loaded: Loaded, replaced: MessageRecord, isLast: boolean, clientId: string | null, given: Given
): Decision {
  const { conversation, generating } = loaded
  if (replaced.role !== 'agent') throw new Refusal('not_an_answer', 'Only an answer of the agent can be written anew.')
  if (generating) {
    throw new Refusal('in_progress', 'The agent is writing an answer. Stop it first, or wait until it is done.')
  }
  if (!isLast) throw new Refusal('not_last_answer', 'Only the last answer of a conversation can be written anew.')
  if (conversation.handled_by !== 'agent') {
    throw new Refusal('taken_over', 'A person has taken this conversation over; the agent does not answer in it now.')
  }
  const move = conversation.status === 'closed' ? given.hands.decide(loaded, { type: 'reopened' }) : undefined
  const follows = followed(loaded, conversation, { ...(move ?? NO_MOVE), answers: true }, given, conversation.messages)
  const again = (message: MessageRecord) =>
    message.role === 'agent' ? { ...message, replaces: replaced.id, client_id: clientId } : message
  return {
    ...follows,
    conversation: { ...follows.conversation, last_message_at: given.at },
    messages: follows.messages.map(again)
  }
}

/**
 * Changes what is changed by hand: closing ends who speaks, opening gives it back to the agent. `by`: who closes it.
 */
export function change (
  loaded: Loaded,
  { status, tags, snoozed_until: until, ...rest }: ConversationPatch,
  given: Given,
  by: 'visitor' | 'person' = 'person'
): Decision {
  const language = rest.language === undefined ? loaded.conversation.language : codeOf(rest.language)
  const conversation = {
    ...loaded.conversation, ...rest, language, tags: tags ? tagsAs(tags) : loaded.conversation.tags
  }
  if (status && until !== undefined) {
    throw invalid({ field: 'snoozed_until', message: 'snoozed_until cannot be given together with status.' })
  }
  const events: Partial<Record<'open' | 'closed', HandsEvent>> = {
    open: { type: 'reopened' }, closed: { type: 'closed', by, isResolved: false }
  }
  const event = until === undefined ? status && events[status] : { type: 'snoozed' as const, until: timeOf(until) }
  const move = event && given.hands.decide({ ...loaded, conversation }, event)
  const follows = followed(loaded, conversation, move ?? NO_MOVE, given, conversation.messages)
  return { ...follows, events: [{ type: 'conversation.updated', seq: 0 }, ...follows.events] }
}

/** Tags as they are kept: in lower case, each once. */
function tagsAs (tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().normalize('NFC').toLowerCase()))]
}

/** A time as times are kept. Refuses with VALIDATION_ERROR one that is in no calendar. */
function timeOf (until: string | null): string | null {
  const micros = until === null ? null : microsOf(until)
  if (micros === undefined) {
    throw invalid({
      field: 'snoozed_until', message: 'snoozed_until must be a time that exists, such as 2026-11-20T15:04:05Z.'
    })
  }
  return micros === null ? null : timestamp(micros)
}

/** A visitor judges an answer. */
export function judge (loaded: Loaded, kept: MessageRecord, feedback: Feedback, given: Given): Decision {
  if (kept.role !== 'agent' && kept.role !== 'person') {
    throw new Refusal('not_an_answer', 'Only answers can be judged, not what a visitor wrote.')
  }
  const move = kept.role === 'agent' ? given.hands.decide(loaded, { type: 'judged', score: feedback.score }) : undefined
  return {
    conversation: move ? { ...loaded.conversation, ...move.change } : loaded.conversation,
    messages: [{ ...kept, feedback }],
    events: [{ type: 'message.updated', seq: kept.seq }]
  }
}

function subjectOf (text: string): string {
  const line = text.trim().split(/(?<!\s)\s*[\r\n]\s*/)[0] ?? ''
  const short = [...line].slice(0, SUBJECT).join('')
  return short === line ? line : `${short.trimEnd()}…`
}
