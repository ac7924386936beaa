import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type {
  Attachment, Channel, ConversationDraft, ConversationPatch, ConversationRecord, Feedback, MessageRecord
} from '../../schema/conversations.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import { answerAside, cutOff, type Answered, type Aside, type Told } from './answering/aside.ts'
import { languageOfMessage } from './answering/language.ts'
import { canned } from './answering/canned.ts'
import { loading, READ_BACK, type LoadingNeeds } from './answering/context.ts'
import { AT_FIRST, type ConversationJob, type Hands, type HandsEvent } from './hands/hands.ts'
import {
  change, finish, handOver, judge, NOTHING_LEFT, receive, regenerate, remark, reply, resume, type Answer,
  type Decision, type Given, type Said
} from './life.ts'
import { openRuns, type Run as Writing, type Runs, type RunsNeeds } from './runs.ts'
import { topicOf, type Loaded } from './store.ts'

/** What talking needs. */
export interface TalkNeeds extends Omit<RunsNeeds, 'load' | 'finish'>, LoadingNeeds {
  /** Wakes the watchers of a topic. */
  wake: (topic: string) => void
  /** Who decides who speaks. */
  hands: Hands
  clock: Clock
}

/**
 * What a visitor sends; `attachments` are ids of files of the conversation. `client_id` makes a repeat the same
 * message; `isStrict`: a repeat with another text is refused.
 */
export interface Saying { text: string, client_id: string | null, isStrict?: boolean, attachments: readonly string[] }

/** What came of a visitor's message: the message itself, and whether it had been sent before. */
export interface Received { message: MessageRecord, repeated: boolean }

/** What can be done with conversations. A conversation that is missing, or somebody else's, is `undefined`. */
export interface Talk {
  begin (
    owner: Id, agent: Id, channel: Channel, draft: ConversationDraft, once?: Once
  ): Promise<Outcome<ConversationRecord> | undefined>
  /**
   * Takes a visitor's message and begins its answer. Refuses with `agent_inactive` where the agent does not answer,
   * with VALIDATION_ERROR files it does not have.
   */
  say (owner: Id, conversation: string, saying: Saying): Promise<Received | undefined>
  /**
   * A person answers, and takes the conversation over where nobody else has. Refuses with `conflict` where somebody
   * has.
   */
  reply (owner: Id, conversation: string, person: Id, saying: Saying): Promise<Received | undefined>
  /**
   * Something happens that may change who speaks; the conversation as it is then. Refuses with `conflict` what cannot
   * be now.
   */
  handOver (owner: Id, conversation: string, event: HandsEvent): Promise<ConversationRecord | undefined>
  /**
   * The finished answer to a visitor's message; undefined where a person answers, or nobody does. Refuses with
   * `not_found` when the conversation is deleted meanwhile, with `unavailable` when the server stops.
   */
  answerTo (owner: Id, conversation: string, message: MessageRecord): Promise<MessageRecord | undefined>
  /**
   * Ends the answer that is being written with what was seen of it. Of a stop and a completion that race, the first one
   * counts.
   */
  stop (owner: Id, conversation: string, message: string): Promise<MessageRecord | undefined>
  /** Writes the last answer anew. Refuses with `conflict` what is not the last one, and while one is being written. */
  regenerate (owner: Id, conversation: string, message: string, clientId?: string): Promise<Received | undefined>
  feedback (owner: Id, conversation: string, message: string, feedback: Feedback): Promise<MessageRecord | undefined>
  change (
    owner: Id, conversation: string, patch: ConversationPatch, check: (conversation: ConversationRecord) => void
  ): Promise<ConversationRecord | undefined>
  /** The agent says a fixed text of its own accord, if `decide` wants it in the transaction that writes it. */
  remark (
    owner: Id, conversation: string, decide: (loaded: Loaded) => { text: string, jobs: ConversationJob[] } | undefined
  ): Promise<void>
  /** Deletes a conversation, unless `check` throws. */
  remove (owner: Id, conversation: string, check: (conversation: ConversationRecord) => void): Promise<boolean>
  /**
   * The conversation that a client calls so, or that has this id; a new one where there is none. Undefined when there
   * is no such agent.
   */
  named (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** The same, but undefined where there is none. */
  known (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** Writes the last answer of a conversation anew; returns what it answers. */
  regenerateLast (owner: Id, conversation: string, clientId?: string): Promise<Received | undefined>
  /**
   * Says something in a conversation of this agent, for clients that know but answers. Refuses with `not_found` another
   * one's.
   */
  sayIn (owner: Id, agent: Id, conversation: string, saying: Saying): Promise<Aside & { repeated: boolean }>
  /** Answers a message that belongs to no conversation. */
  aside (agent: AgentRecord, told: readonly Told[], message: string): Aside
  runs: Runs
  /** Takes up what an earlier process left unfinished. */
  resumeAll (): Promise<void>
  /** Stops what is being written; what is kept is written anew after the next start. */
  close (): Promise<void>
}

/** Opens it on the store. */
export function talking (needs: TalkNeeds): Talk {
  const { store, clock } = needs
  const closing = new AbortController()
  const runs = openRuns({ ...needs, load: loading(needs), finish: end })

  function given (id: string): Given {
    const writing = runs.of(id)
    const ids = { messageId: newId('msg'), answerId: newId('msg'), noticeId: newId('msg') }
    return { ...ids, at: timestamp(clock.micros()), hands: needs.hands, soFar: () => writing?.soFar() }
  }

  /** What a decision means for what is being written: what it ended is written no more, what it began is. */
  function follow (owner: Id, id: string, { conversation, messages }: Decision) {
    if (messages.some(({ role, status }) => role === 'agent' && status === 'stopped')) runs.drop(id)
    goOn(owner, id, { conversation, messages })
  }

  /** Begins the answer that was decided on, if one was. */
  function goOn (owner: Id, id: string, decision: Pick<Decision, 'conversation' | 'messages'> | undefined) {
    const answer = decision?.messages.find(({ status }) => status === 'generating')
    if (decision && answer) runs.start(owner, id, answer, decision.conversation.epoch)
  }

  async function end (
    { owner, conversation: id, answer: { id: message }, epoch }: Writing, answer: Answer, isWanted: () => boolean
  ): Promise<void> {
    const done = await store.change(owner, id, {}, (loaded) =>
      isWanted() ? finish(loaded, message, answer, epoch, given(id)) : undefined
    )
    goOn(owner, id, done?.decision)
    // Its conversation is gone: what it took was taken all the same.
    if (!done && answer.run && isWanted()) needs.noteRun(owner, answer.run)
  }

  async function say (owner: Id, id: string, saying: Saying): Promise<Received | undefined> {
    let superseded = false
    let isOver = false
    const { isStrict: _isStrict, attachments, ...what } = saying
    const language = languageOfMessage(saying.text)
    const kind = canned(saying.text)
    try {
      const done = await store.change(owner, id, { clientId: saying.client_id, attachments }, (loaded) => {
        if (loaded.repeated) return undefined
        const now = given(id)
        isOver = needs.hands.isOver(loaded.conversation, now.at)
        if (isOver) return undefined
        refuseInactive(loaded)
        const said: Said = {
          ...what,
          language,
          attachments: attachedOf(loaded, attachments),
          wantsPerson: kind === 'person',
          isThanks: kind === 'thanks'
        }
        // Decided here, where nothing comes between: an answer that was asked for a moment ago has no run yet.
        superseded = loaded.generating !== undefined && (runs.supersede(id) || runs.of(id) === undefined)
        return receive(loaded, said, now, superseded)
      })
      if (!done) return undefined
      const { decision, loaded } = done
      if (isOver) return await sayAnew(owner, loaded.conversation, saying)
      if (!decision) return loaded.repeated && repeatedly(loaded.repeated, saying)
      follow(owner, id, decision)
      return { message: decision.messages[0]!, repeated: false }
    } finally {
      if (superseded) runs.restore(id)
    }
  }

  /**
   * A visitor who comes back long after a conversation was closed goes on in a new one, however often the old one is
   * written to.
   */
  async function sayAnew (
    owner: Id, { id, agent, channel, visitor, language }: ConversationRecord, saying: Saying
  ): Promise<Received | undefined> {
    const next = newConversation(owner, agent, channel, { visitor, language }, clock)
    const successor = await store.succeed(owner, id, next)
    return successor === undefined ? undefined : await say(owner, successor, saying)
  }

  async function replyOnce (owner: Id, id: string, person: Id, saying: Saying): Promise<Received | undefined> {
    const { text, client_id: clientId, attachments } = saying
    const done = await store.change(owner, id, { clientId, attachments }, (loaded) =>
      loaded.repeated
        ? undefined
        : reply(loaded, { text, client_id: clientId, attachments: attachedOf(loaded, attachments) }, person, given(id))
    )
    if (!done) return undefined
    if (!done.decision) return done.loaded.repeated && repeatedly(done.loaded.repeated, saying)
    follow(owner, id, done.decision)
    return { message: done.decision.messages.at(-1)!, repeated: false }
  }

  function repeatedly (message: MessageRecord, { text, isStrict, attachments }: Saying): Received {
    const isSame =
      message.text === text &&
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

  async function answerTo (owner: Id, id: string, message: MessageRecord): Promise<MessageRecord | undefined> {
    for (;;) {
      const after = await store.messages(owner, id, { after: message.seq }, READ_BACK)
      if (!after) throw new Refusal('not_found', 'No such conversation.')
      const answer = after.find(({ role }) => role === 'agent')
      if (answer && answer.status !== 'generating') return answer
      const isRunning = runs.of(id) !== undefined
      await runs.ended(id)
      if (isRunning || runs.of(id)) continue
      if (!answer) return undefined
      throw new Refusal(
        'unavailable',
        'The answer cannot be finished now; it is written when the server runs again. Read the conversation then.',
        { headers: { 'retry-after': '5' } }
      )
    }
  }

  async function regenerateOne (
    owner: Id, id: string, message: string, clientId: string | null = null
  ): Promise<Received | undefined> {
    const done = await store.change(owner, id, { message, clientId }, (loaded) => {
      if (loaded.repeated) return undefined
      refuseInactive(loaded)
      return (
        loaded.message &&
        regenerate(loaded, loaded.message, loaded.message.seq === loaded.conversation.messages, clientId, given(id))
      )
    })
    if (done?.loaded.repeated) return { message: done.loaded.repeated, repeated: true }
    const answer = done?.decision?.messages.at(-1)
    if (!done?.decision || !answer) return undefined
    follow(owner, id, done.decision)
    return { message: answer, repeated: false }
  }

  async function conversationCalled (owner: Id, agent: Id, name: string): Promise<string | undefined> {
    const byId = await store.get(owner, name)
    return byId?.agent === agent ? name : await store.named(owner, agent, name, undefined)
  }

  return {
    runs,
    say,
    answerTo,
    async begin (owner, agent, channel, draft, once) {
      return await store.create(owner, newConversation(owner, agent, channel, draft, clock), once)
    },
    async stop (owner, id, message) {
      const kept = await store.message(owner, id, message)
      if (kept?.status !== 'generating') return kept
      await runs.stop(id, message)
      // Where nobody writes it, since its end could not be kept, it ends here.
      const done = await store.change(owner, id, { message }, (loaded) =>
        finish(loaded, message, NOTHING_LEFT, loaded.conversation.epoch, given(id))
      )
      goOn(owner, id, done?.decision)
      return done?.decision?.messages[0] ?? done?.loaded.message
    },
    regenerate: regenerateOne,
    async feedback (owner, id, message, feedback) {
      const done = await store.change(
        owner, id, { message }, (loaded) => loaded.message && judge(loaded, loaded.message, feedback, given(id))
      )
      return done?.decision?.messages[0]
    },
    async change (owner, id, patch, check) {
      const done = await store.change(owner, id, {}, (loaded) => {
        check(loaded.conversation)
        return change(loaded, patch, given(id))
      })
      if (done) follow(owner, id, done.decision)
      return done?.decision.conversation
    },
    reply: replyOnce,
    async handOver (owner, id, event) {
      const done = await store.change(owner, id, {}, (loaded) => handOver(loaded, event, given(id)))
      if (done?.decision) follow(owner, id, done.decision)
      return done && (done.decision?.conversation ?? done.loaded.conversation)
    },
    async remark (owner, id, decide) {
      await store.change(owner, id, {}, (loaded) => remark(loaded, decide(loaded), given(id)))
    },
    async remove (owner, id, check) {
      const gone = await store.remove(owner, id, check)
      if (gone) runs.forget(id)
      return gone
    },
    async named (owner, agent, name) {
      const known = await conversationCalled(owner, agent, name)
      if (known !== undefined) return known
      return await store.named(owner, agent, name, newConversation(owner, agent, 'compatible', {}, clock))
    },
    known: conversationCalled,
    async regenerateLast (owner, id, clientId) {
      const conversation = await store.get(owner, id)
      const [last] = conversation
        ? ((await store.messages(owner, id, { before: conversation.messages + 1 }, 1)) ?? [])
        : []
      const begun = last && (await regenerateOne(owner, id, last.id, clientId))
      return begun && { ...begun, message: { ...begun.message, seq: begun.message.seq - 1 } }
    },
    async sayIn (owner, agent, id, saying) {
      const conversation = await store.get(owner, id)
      const received = conversation?.agent === agent ? await say(owner, id, saying) : undefined
      if (!received) throw new Refusal('not_found', 'No such conversation.')
      let ended: Answered | undefined
      const answer = answerTo(owner, received.message.conversation, received.message)
        .catch(cutOff)
        .then(async (found) => {
          ended = found ?? (await noticeAfter(store, owner, received.message)) ?? received.message
          needs.notify(id)
          return ended
        })
      const isAfter = (run: Writing | undefined) => run !== undefined && run.answer.seq > received.message.seq
      const textNow = () => (isAfter(runs.of(id)) ? (runs.of(id)?.text ?? '') : '')
      return {
        topic: topicOf(id),
        answer,
        now: () => ({ text: ended?.text ?? textNow(), ended }),
        repeated: received.repeated
      }
    },
    aside: (agent, told, message) => answerAside(agent, told, message, needs, closing.signal),
    async close () {
      closing.abort()
      await runs.close()
    },
    async resumeAll () {
      for (const { owner, conversation } of await store.unfinished()) {
        // One that is damaged must not keep the server from starting.
        const done = await store
          .change(owner, conversation, {}, (loaded) => resume(loaded, given(conversation)))
          .catch(needs.onFault)
        goOn(owner, conversation, done?.decision)
      }
    }
  }
}

/** What the visitor was told instead of an answer. */
async function noticeAfter (
  store: TalkNeeds['store'], owner: Id, { conversation, seq }: MessageRecord
): Promise<MessageRecord | undefined> {
  const after = await store.messages(owner, conversation, { after: seq }, READ_BACK)
  return after?.find(({ role }) => role === 'system')
}

/** A new identifier: a prefix and 128 random bits. */
export function newId (prefix: 'conv' | 'msg' | 'vis'): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`
}

function newConversation (
  owner: Id,
  agent: Id,
  channel: Channel,
  { visitor = null, language = null, subject = '' }: ConversationDraft,
  clock: Clock
): ConversationRecord {
  const at = timestamp(clock.micros())
  return {
    id: newId('conv'),
    agent,
    owner,
    visitor,
    channel,
    ...AT_FIRST,
    language,
    subject,
    tickets: [],
    messages: 0,
    created_at: at,
    updated_at: at,
    last_message_at: null,
    revision: clock.micros()
  }
}

/**
 * The files that a message names. Refuses one that the conversation does not have: the same words for another
 * conversation's.
 */
function attachedOf ({ attachments }: Loaded, ids: readonly string[]): Attachment[] {
  const missing = ids.find((id) => !attachments.some((file) => file.id === id))
  if (missing === undefined) return attachments
  throw invalid({
    field: 'attachments',
    message:
      'attachments names a file that this conversation does not have. Send the file to …/attachments first, and name the id that it answers.'
  })
}

/** An agent that does not answer was asked. */
export function agentInactive (): Refusal {
  return new Refusal('agent_inactive', 'This agent is inactive and does not answer. Set its status to Active first.')
}

function refuseInactive ({ conversation, speaker }: Loaded) {
  if (speaker.status === 'Inactive' && conversation.handled_by === 'agent') throw agentInactive()
}
