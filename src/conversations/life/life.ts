import type { ConversationPatch, ConversationRecord, Feedback, MessageRecord } from '../../../schema/conversations.ts'
import { MOST_TAGS } from '../../../schema/common.ts'
import { microsOf, timestamp } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { codeOf } from '../../platform/languages.ts'
import { tagsAs, tooManyTags } from '../../platform/tags.ts'
import type { ConversationJob, Ending, HandoffEvent, DecisionInput } from '../contract.ts'
import type { Answer, Decision, DecisionContext, Said } from './decision.ts'
import { followed, messageOf, moveOf, NO_MOVE, touched } from './follow.ts'

/*
 * The lifecycle of an answer, as pure decisions: the new state of a conversation and its last messages after an event.
 * The store loads the input, calls one of these, and writes the result in one transaction.
 *
 *   visitor's message ──► generating ──► complete
 *                          │  ▲   ├────► stopped    somebody stopped it
 *                          │  │   └────► failed     the model died, or it was begun three times
 *                          └──┘ restarted: after a crash, or because a further message came before it could be seen
 */

/** Attempts at an answer before it counts as failed. */
export const MOST_ATTEMPTS = 3

const SUBJECT = 120

/**
 * A visitor's message. While the agent speaks, one answer is requested: the one being written if `superseded` (none of
 * it has been seen, so it restarts and answers both), otherwise a further one when it is done. The hand-off policy
 * decides who speaks afterwards.
 */
export function receive (loaded: DecisionInput, said: Said, given: DecisionContext, superseded: boolean): Decision {
  const { generating } = loaded
  const { language, page, tags } = loaded.conversation
  const conversation = {
    ...loaded.conversation,
    language: said.language ?? language,
    page: said.page ?? page,
    tags: taggedWith(tags, said.tags ?? [])
  }
  const move = moveOf(
    { ...loaded, conversation },
    {
      type: 'said',
      seq: conversation.messages + 1,
      wantsPerson: said.wantsPerson,
      isThanks: said.isThanks,
      address: said.address,
      isAddressUnclear: said.isAddressUnclear ?? false
    },
    given
  )
  // A restarted answer moves behind the messages it now answers too.
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
      ...withTagsEvent(follows.events.filter(({ seq: about }) => about === 0), loaded.conversation, conversation),
      { type: 'message.created', seq },
      ...(answer ? [{ type: 'message.restarted' as const, seq: answer.seq }] : []),
      ...follows.events.filter(({ seq: about }) => about !== 0)
    ]
  }
}

/**
 * A person answers, and takes the conversation over if nobody else has. Refuses with `taken_over` if somebody has.
 */
export function reply (
  loaded: DecisionInput, said: Pick<Said, 'text' | 'client_id' | 'attachments'>, person: number, given: DecisionContext
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
 * The agent proactively says a fixed text: nobody else speaks, and nothing else is said. Undefined: it does not.
 */
export function proactiveMessage (
  { conversation }: DecisionInput,
  said: { text: string, jobs: ConversationJob[] } | undefined,
  { at, messageId }: DecisionContext
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
 * What a person wrote elsewhere, such as in a mail, is added here too; the speaker stays the same. Undefined if it is
 * here already, if the conversation is closed, and while an answer is being written, since it would seem to request
 * another.
 */
export function relay (
  loaded: DecisionInput, said: Pick<Said, 'text' | 'client_id'>, given: DecisionContext
): Decision | undefined {
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

/** Applies a hand-off event that is not a message. Undefined if it is stale. */
export function handOver (loaded: DecisionInput, event: HandoffEvent, given: DecisionContext): Decision | undefined {
  const move = given.handoff.transition(loaded, event)
  return move && followed(loaded, loaded.conversation, move, given, loaded.conversation.messages)
}

/** Whether visitors' messages after this answer are unanswered by it. */
export function isWaitedFor (conversation: ConversationRecord, answer: MessageRecord): boolean {
  return conversation.messages > answer.seq
}

/**
 * The answer is complete, stopped or failed. Undefined if it has already ended: if a stop and a completion race, the
 * first one counts. One started in an earlier `epoch` is not said: somebody else speaks by now. If visitors' messages
 * wait after it, one further answer starts.
 */
export function finish (
  loaded: DecisionInput, id: string, answer: Answer, epoch: number, given: DecisionContext
): Decision | undefined {
  const { generating } = loaded
  if (generating?.id !== id) return undefined
  const { run, hindered = null, proposal = null, unknown = false, tags = [], ...written } = answer
  const ending: Ending = {
    status: answer.status, isUnknown: unknown, isCited: answer.citations.length > 0, hindered, proposal
  }
  const move = given.handoff.transition(loaded, { type: 'ended', epoch, ending })
  const ended: MessageRecord = move ? { ...generating, ...written, unknown } : { ...generating, status: 'stopped' }
  const isAsked = isWaitedFor(loaded.conversation, generating)
  // An unsent answer is no reason for a tag.
  const conversation = {
    ...loaded.conversation, tags: taggedWith(loaded.conversation.tags, move ? tags : [])
  }
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
    events: withTagsEvent(
      [{ type: 'message.completed', seq: ended.seq }, ...follows.events], loaded.conversation, conversation
    ),
    ...(run && { run })
  }
}

/** An answer cut off by a crash is restarted, or given up after too many attempts. */
export function resume (loaded: DecisionInput, given: DecisionContext): Decision | undefined {
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

/** Whether there is still something to stop. Refuses with `not_an_answer` any but the agent's. */
export function isToStop ({ role, status }: MessageRecord): boolean {
  if (role !== 'agent') throw new Refusal('not_an_answer', 'Only an answer of the agent can be stopped.')
  return status === 'generating'
}

/**
 * Regenerates an answer, besides the old one. Refuses with `in_progress` while one is being written, and any but the
 * last answer.
 */
export function regenerate (
  loaded: DecisionInput, replaced: MessageRecord, isLast: boolean, clientId: string | null, given: DecisionContext
): Decision {
  const { conversation, generating } = loaded
  if (replaced.role !== 'agent') throw new Refusal('not_an_answer', 'Only an answer of the agent can be regenerated.')
  if (generating) {
    throw new Refusal('in_progress', 'The agent is writing an answer. Stop it first, or wait until it is done.')
  }
  if (!isLast) throw new Refusal('not_last_answer', 'Only the last answer of a conversation can be regenerated.')
  if (conversation.handled_by !== 'agent') {
    throw new Refusal('taken_over', 'A person has taken this conversation over; the agent does not answer in it now.')
  }
  const move = conversation.status === 'closed' ? given.handoff.transition(loaded, { type: 'reopened' }) : undefined
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
 * Applies manual changes: closing ends it for its speaker, reopening returns it to the agent. `by`: who closes it.
 */
export function change (
  loaded: DecisionInput,
  { status, tags, snoozed_until: until, ...rest }: ConversationPatch,
  given: DecisionContext,
  by: 'visitor' | 'person' = 'person'
): Decision {
  const language = rest.language === undefined ? loaded.conversation.language : codeOf(rest.language)
  const conversation = {
    ...loaded.conversation, ...rest, language, tags: tags ? fewTags(tags) : loaded.conversation.tags
  }
  if (status && until !== undefined) {
    throw invalid({ field: 'snoozed_until', message: 'snoozed_until cannot be given together with status.' })
  }
  const events: Partial<Record<'open' | 'closed', HandoffEvent>> = {
    open: { type: 'reopened' }, closed: { type: 'closed', by, isResolved: false }
  }
  const event = until === undefined ? status && events[status] : { type: 'snoozed' as const, until: timeOf(until) }
  const move = event && given.handoff.transition({ ...loaded, conversation }, event)
  const follows = followed(loaded, conversation, move ?? NO_MOVE, given, conversation.messages)
  return { ...follows, events: [{ type: 'conversation.updated', seq: 0 }, ...follows.events] }
}

/** Tags as they are kept. Refuses with VALIDATION_ERROR too many, which commas in them can make. */
function fewTags (tags: readonly string[]): string[] {
  const all = tagsAs(tags)
  if (all.length > MOST_TAGS) throw invalid(tooManyTags('tags', all, MOST_TAGS))
  return all
}

/** A time in stored format. Refuses with VALIDATION_ERROR an invalid one. */
function timeOf (until: string | null): string | null {
  const micros = until === null ? null : microsOf(until)
  if (micros === undefined) {
    throw invalid({
      field: 'snoozed_until', message: 'snoozed_until must be a valid time, such as 2026-11-20T15:04:05Z.'
    })
  }
  return micros === null ? null : timestamp(micros)
}

/** A visitor rates an answer. */
export function judge (
  loaded: DecisionInput, kept: MessageRecord, feedback: Feedback, given: DecisionContext
): Decision {
  if (kept.role !== 'agent' && kept.role !== 'person') {
    throw new Refusal('not_an_answer', 'Only answers can be rated, not what a visitor wrote.')
  }
  const move = kept.role === 'agent'
    ? given.handoff.transition(
      loaded, { type: 'judged', score: feedback.score }
    )
    : undefined
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

/**
 * Tags with others appended, each once; any beyond a conversation's limit are left out. The same list if none is added.
 */
export function taggedWith (kept: string[], more: readonly string[]): string[] {
  const added = tagsAs(more).filter((tag) => !kept.includes(tag)).slice(0, Math.max(0, MOST_TAGS - kept.length))
  return added.length > 0 ? [...kept, ...added] : kept
}

/** The events with the one for watchers if tags were added, the same for those set by rules and by people. */
function withTagsEvent (
  events: Decision['events'], before: ConversationRecord, after: ConversationRecord
): Decision['events'] {
  if (after.tags === before.tags || events.some(({ type }) => type === 'conversation.updated')) return events
  return [{ type: 'conversation.updated', seq: 0 }, ...events]
}
