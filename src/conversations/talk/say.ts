import { isDeepStrictEqual } from 'node:util'
import type { Id } from '../../../schema/common.ts'
import type { Attachment, ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Prior } from '../../search/words/guess.ts'
import { type KnownLanguage, languageOfMessage } from '../../search/words/of-message.ts'
import { canned, type Canned, isThanks, languageOfCourtesy } from '../answering/small-talk/small-talk.ts'
import { decides, guarded, isPrepared, mayBe, prepared } from '../../guards/index.ts'
import { addressIn, isUnclearAddress, withoutAddresses } from '../handoff/address.ts'
import type { Answer, Decision, DecisionContext, Said } from '../life/decision.ts'
import { finish, receive, reply } from '../life/life.ts'
import type { DecisionInput } from '../contract.ts'
import { openRuns, type Runs } from '../generations.ts'
import { type Generation, isSameRun } from '../generation.ts'
import { refuseInactive } from './inactive.ts'
import { newConversation } from './new-conversation.ts'
import type { Received, Saying, Talk, TalkNeeds } from './contract.ts'
import { timestamp } from '../../platform/clock.ts'
import { loading } from '../answering/context.ts'
import { newId } from '../storage/rows.ts'

/** How visitors and people send messages, see Talk. */
export function saying (
  { store, clock, handoff, prior, seen }: TalkNeeds, { runs, given, follow }: Turns
): Pick<Talk, 'say' | 'reply'> {
  async function say (owner: Id, id: string, saying: Saying, isReady = false): Promise<Received | undefined> {
    let superseded = false
    let isOver = false
    let unready: (() => Promise<void>) | undefined
    let now: DecisionContext | undefined
    const { isStrict: _isStrict, attachments, ...what } = saying
    const kind = canned(saying.text)
    try {
      const done = await store.change(owner, id, { clientId: saying.client_id, attachments }, function * (loaded) {
        if (loaded.repeated) return undefined
        // Once, even if this decision is retried: what was seen of a cancelled answer is not available then.
        now ??= given(id)
        isOver = handoff.isOver(loaded.conversation, now.at)
        if (isOver) return undefined
        refuseInactive(loaded)
        const spoken = yield * prior(loaded.conversation.agent)
        const looked = [what.text, loaded.speaker.guardRules, 'asked', knownOf(loaded, spoken)] as const
        if (!isReady && !isPrepared(...looked)) {
          unready = () => prepared(...looked)
          return undefined
        }
        const said: Said = { ...heard(loaded, what, kind, spoken), attachments: attachedOf(loaded, attachments) }
        // Decided here, without a gap: an answer requested a moment ago has no run yet.
        superseded = loaded.generating !== undefined &&
          (superseded || runs.supersede(id) || isUnseen(loaded.generating))
        return receive(loaded, said, now, superseded)
      })
      if (!done) return undefined
      const { decision, loaded } = done
      // A long list of rules is prepared where nobody waits for it, then it is sent.
      if (unready) {
        await unready()
        return await say(owner, id, saying, true)
      }
      if (isOver) return await continueInSuccessor(owner, loaded.conversation, saying)
      if (!decision) return loaded.repeated && repeatedly(loaded.repeated, saying)
      follow(owner, id, decision)
      return { message: decision.messages[0]!, repeated: false }
    } finally {
      if (superseded) runs.restore(id)
    }
  }

  /** Whether nobody can have seen any of an answer not written here. */
  function isUnseen (generating: MessageRecord): boolean {
    const { conversation } = generating
    const elsewhere = seen.of(conversation)
    const isSeen = elsewhere !== undefined && isSameRun(generating, elsewhere.answer) && elsewhere.text.length > 0
    return runs.of(conversation) === undefined && !isSeen
  }

  /**
   * A visitor who returns long after a conversation was closed continues in a new one, however often they write to the
   * old.
   */
  async function continueInSuccessor (
    owner: Id, { id, agent, channel, visitor, language }: ConversationRecord, saying: Saying
  ): Promise<Received | undefined> {
    const next = newConversation(owner, agent, channel, { visitor, language }, clock)
    const successor = await store.succeed(owner, id, next)
    return successor === undefined ? undefined : await say(owner, successor, saying)
  }

  async function replyOnce (owner: Id, id: string, person: Id, saying: Saying): Promise<Received | undefined> {
    const { text, client_id: clientId, attachments } = saying
    const done = await store.change(owner, id, { clientId, attachments }, function * (loaded) {
      return loaded.repeated
        ? undefined
        : reply(loaded, { text, client_id: clientId, attachments: attachedOf(loaded, attachments) }, person, given(id))
    })
    if (!done) return undefined
    if (!done.decision) return done.loaded.repeated && repeatedly(done.loaded.repeated, saying)
    follow(owner, id, done.decision)
    return { message: done.decision.messages.at(-1)!, repeated: false }
  }

  return { say, reply: replyOnce }
}

/** The earlier message. Refuses another message under the same Idempotency-Key. */
function repeatedly (message: MessageRecord, { text, isStrict, attachments }: Saying): Received {
  const isSame =
    mayBe(message.text, text) &&
    isDeepStrictEqual(
      message.attachments.map(({ id: file }) => file), attachments
    )
  if (isStrict && !isSame) {
    throw new Refusal(
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request. Use a new key for a new request.'
    )
  }
  return { message, repeated: true }
}

/**
 * The files that a message names. Refuses one that the conversation does not have: the same text for another
 * conversation's.
 */
function attachedOf ({ attachments }: DecisionInput, ids: readonly string[]): Attachment[] {
  const missing = ids.find((id) => !attachments.some((file) => file.id === id))
  if (missing === undefined) return attachments
  throw invalid({
    field: 'attachments',
    message:
      'attachments names a file that this conversation does not have. Send the file to …/attachments first, and name the id that it returns.'
  })
}

/**
 * A visitor's message, without what must not be stored. If a rule decides about it, it is not a request for a person,
 * nor thanks or an address: the agent answers as the rule says. `kind`: what it is if stored whole.
 */
export function heard (
  { conversation, speaker }: DecisionInput, what: Pick<Said, 'text' | 'client_id' | 'page' | 'vouched'>, kind: Canned | undefined,
  spoken: Prior
): Omit<Said, 'attachments'> & Required<Pick<Said, 'guarded' | 'tags'>> {
  const known = knownOf({ conversation }, spoken)
  const { text, verdict, notes, tags } = guarded(what.text, speaker.guardRules, 'asked', known)
  const isAnswered = conversation.handled_by === 'agent'
  const isFree = verdict === undefined || !isAnswered
  return {
    ...what,
    text,
    language: languageIn(withoutAddresses(what.text), kind === 'person', known),
    wantsPerson: isFree && kind === 'person',
    isThanks: isFree && isThanks(what.text),
    address: isFree ? addressIn(text, speaker.contact) : undefined,
    isAddressUnclear: isFree && isUnclearAddress(text),
    // If a person answers, no rule decides instead of the agent.
    guarded: isAnswered ? notes : notes.filter(({ did }) => !decides(did)),
    tags
  }
}

/** What is known of a visitor's language before their message. */
export const knownOf = (
  { conversation: { language: given } }: Pick<DecisionInput, 'conversation'>, spoken: Prior
): KnownLanguage =>
  ({ given, spoken })

/** The language detected in a message; null if none. */
function languageIn (
  text: string, isForPerson: boolean, known: KnownLanguage
): string | null {
  const told = languageOfMessage(text, known)
  return told ?? (isForPerson ? languageOfCourtesy(text) : null)
}

/** Answers being written, and how a decision about a conversation affects them. */
export interface Turns {
  runs: Runs
  /** Context of a decision about this conversation now. */
  given (conversation: string): DecisionContext
  /** Applies a decision to the answers being written: those it ended stop, those it began start. */
  follow (owner: Id, conversation: string, decision: Decision): void
  /** Starts the answer requested by a decision, if any. */
  startPending (
    owner: Id, conversation: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined
  ): void
}

/** Opens what is being written. */
export function openTurns (needs: TalkNeeds): Turns {
  const { store, clock, seen } = needs
  const runs = openRuns({ ...needs, kept: store.message, load: loading(needs), finish: end })

  function given (id: string): DecisionContext {
    const writing = runs.of(id) ?? seen.of(id)
    const ids = { messageId: newId('msg'), answerId: newId('msg'), noticeId: newId('msg') }
    return { ...ids, at: timestamp(clock.micros()), handoff: needs.handoff, soFar: () => writing?.soFar() }
  }

  function follow (owner: Id, id: string, { conversation, messages }: Decision) {
    if (messages.some(({ role, status }) => role === 'agent' && status === 'stopped')) runs.drop(id)
    startPending(owner, id, { conversation, messages })
  }

  function startPending (owner: Id, id: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined) {
    const answer = decision?.messages.find(({ status }) => status === 'generating')
    if (decision && answer) runs.start(owner, id, answer, decision.conversation.epoch)
  }

  async function end (
    { owner, conversation: id, answer: begun, epoch }: Generation, answer: Answer, isWanted: () => boolean
  ): Promise<void> {
    const done = await store.change(owner, id, {}, function * (loaded) {
      // If another process has restarted the answer since, its end counts.
      const isStillOurs = isWanted() && loaded.generating && isSameRun(loaded.generating, begun)
      return isStillOurs ? finish(loaded, begun.id, answer, epoch, given(id)) : undefined
    })
    startPending(owner, id, done?.decision)
    // Its conversation was deleted: its usage counts all the same.
    if (!done && answer.run && isWanted()) needs.noteRun(owner, answer.run)
  }

  return { runs, given, follow, startPending }
}
