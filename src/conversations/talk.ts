import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Attachment, Channel, ConversationDraft, ConversationPatch, ConversationRecord, Feedback, MessageRecord } from '../../schema/conversations.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import { answerAside, cutOff, type Answered, type Aside, type Told } from './answering/aside.ts'
import { languageOfMessage } from './answering/language.ts'
import { change, finish, receive, regenerate, resume, type Answer, type Given, type Said } from './life.ts'
import { openRuns, stopped, type Runs, type RunsNeeds } from './runs.ts'
import { topicOf, type ConversationStore, type Loaded } from './store.ts'
import type { Turn } from './answering/turn.ts'
import type { Run } from './usage/ledger.ts'

/** What talking needs. */
export interface TalkNeeds extends Omit<RunsNeeds, 'load' | 'finish'> {
  /** Notes what an answer took that belongs to no conversation. */
  noteRun: (owner: Id, run: Run) => void
  /** Wakes the watchers of a topic. */
  wake: (topic: string) => void
  store: ConversationStore
  clock: Clock
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}

/** What a visitor sends; `attachments` are ids of files of the conversation. `client_id` makes a repeat the same message; `isStrict`: a repeat with another text is refused. */
export interface Saying { text: string, client_id: string | null, isStrict?: boolean, attachments: readonly string[] }

/** What came of a visitor's message: the message itself, and whether it had been sent before. */
export interface Received { message: MessageRecord, repeated: boolean }

/** What can be done with conversations. A conversation that is missing, or somebody else's, is `undefined`. */
export interface Talk {
  begin (owner: Id, agent: Id, channel: Channel, draft: ConversationDraft, once?: Once): Promise<Outcome<ConversationRecord> | undefined>
  /** Takes a visitor's message and begins its answer. Refuses with `agent_inactive` where the agent does not answer, with VALIDATION_ERROR files it does not have. */
  say (owner: Id, conversation: string, saying: Saying): Promise<Received | undefined>
  /** The finished answer to a visitor's message; undefined where a person answers, or nobody does. Refuses with `not_found` when the conversation is deleted meanwhile, with `unavailable` when the server stops. */
  answerTo (owner: Id, conversation: string, message: MessageRecord): Promise<MessageRecord | undefined>
  /** Ends the answer that is being written with what was seen of it. Of a stop and a completion that race, the first one counts. */
  stop (owner: Id, conversation: string, message: string): Promise<MessageRecord | undefined>
  /** Writes the last answer anew. Refuses with `conflict` what is not the last one, and while one is being written. */
  regenerate (owner: Id, conversation: string, message: string, clientId?: string): Promise<Received | undefined>
  feedback (owner: Id, conversation: string, message: string, feedback: Feedback): Promise<MessageRecord | undefined>
  change (owner: Id, conversation: string, patch: ConversationPatch, check: (conversation: ConversationRecord) => void): Promise<ConversationRecord | undefined>
  /** Deletes a conversation, unless `check` throws. */
  remove (owner: Id, conversation: string, check: (conversation: ConversationRecord) => void): Promise<boolean>
  /** The conversation that a client calls so, or that has this id; a new one where there is none. Undefined when there is no such agent. */
  named (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** The same, but undefined where there is none. */
  known (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** Writes the last answer of a conversation anew; returns what it answers. */
  regenerateLast (owner: Id, conversation: string): Promise<MessageRecord | undefined>
  /** Says something in a conversation of this agent, for clients that know but answers. Refuses with `not_found` another one's. */
  sayIn (owner: Id, agent: Id, conversation: string, text: string): Promise<Aside>
  /** Answers a message that belongs to no conversation. */
  aside (agent: AgentRecord, told: readonly Told[], message: string): Aside
  runs: Runs
  /** Takes up what an earlier process left unfinished. */
  resumeAll (): Promise<void>
  /** Stops what is being written; what is kept is written anew after the next start. */
  close (): Promise<void>
}

/** Messages read back to find what an answer is about, and what was said before. */
const READ_BACK = 60

/** Opens it on the store. */
export function talking (needs: TalkNeeds): Talk {
  const { store, clock, agentOf } = needs
  const closing = new AbortController()
  const runs = openRuns({ ...needs, load, finish: end })

  function given (agentVersion: number): Given {
    return { at: timestamp(clock.micros()), messageId: newId('msg'), answerId: newId('msg'), agentVersion }
  }

  async function load (owner: Id, id: string, answer: MessageRecord): Promise<{ turn: Turn } | undefined> {
    const conversation = await store.get(owner, id)
    const agent = conversation && await agentOf(owner, conversation.agent)
    const read = conversation && await store.messages(owner, id, { before: conversation.messages + 1 }, READ_BACK)
    if (!agent || !read) return undefined
    return { turn: turnOf(agent, conversation, read, answer.id) }
  }

  async function end (owner: Id, id: string, message: string, answer: Answer, isWanted: () => boolean): Promise<MessageRecord | undefined> {
    const done = await store.change(owner, id, {}, (loaded) => isWanted() ? finish(loaded, message, answer, given(loaded.agentVersion)) : undefined)
    return done?.decision?.messages.find(({ status }) => status === 'generating')
  }

  async function say (owner: Id, id: string, saying: Saying): Promise<Received | undefined> {
    let superseded = false
    const { isStrict: _isStrict, attachments, ...what } = saying
    const language = languageOfMessage(saying.text)
    try {
      const done = await store.change(owner, id, { clientId: saying.client_id, attachments }, (loaded) => {
        if (loaded.repeated) return undefined
        refuseInactive(loaded)
        const said: Said = { ...what, language, attachments: attachedOf(loaded, attachments) }
        // Decided here, where nothing comes between: an answer that was asked for a moment ago has no run yet.
        superseded = loaded.generating !== undefined && (runs.supersede(id) || runs.of(id) === undefined)
        return receive(loaded, said, given(loaded.agentVersion), superseded)
      })
      if (!done) return undefined
      const { decision, loaded } = done
      if (!decision) return loaded.repeated && repeatedly(loaded.repeated, saying)
      const answer = decision.messages.find(({ status }) => status === 'generating')
      if (answer) runs.start(owner, id, answer)
      return { message: decision.messages[0]!, repeated: false }
    } finally {
      if (superseded) runs.restore(id)
    }
  }

  function repeatedly (message: MessageRecord, { text, isStrict, attachments }: Saying): Received {
    const isSame = message.text === text && isDeepStrictEqual(message.attachments.map(({ id: file }) => file), attachments)
    if (isStrict && !isSame) throw new Refusal('idempotency_mismatch', 'This Idempotency-Key was used for a different request. Use a new key for a new request.')
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
      throw new Refusal('unavailable', 'The answer cannot be finished now; it is written when the server runs again. Read the conversation then.', { headers: { 'retry-after': '5' } })
    }
  }

  async function changeMessage (owner: Id, id: string, message: string, next: (kept: MessageRecord) => MessageRecord): Promise<MessageRecord | undefined> {
    const done = await store.change(owner, id, { message }, ({ conversation, message: kept }) => kept && {
      conversation, messages: [next(kept)], events: [{ type: 'message.updated' as const, seq: kept.seq }]
    })
    return done?.decision?.messages[0]
  }

  async function regenerateOne (owner: Id, id: string, message: string, clientId: string | null = null): Promise<Received | undefined> {
    const done = await store.change(owner, id, { message, clientId }, (loaded) => {
      if (loaded.repeated) return undefined
      refuseInactive(loaded)
      return loaded.message && regenerate(loaded, loaded.message, loaded.message.seq === loaded.conversation.messages, clientId, given(loaded.agentVersion))
    })
    if (done?.loaded.repeated) return { message: done.loaded.repeated, repeated: true }
    const answer = done?.decision?.messages[0]
    if (!answer) return undefined
    runs.start(owner, id, answer)
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
      const at = timestamp(clock.micros())
      return await store.create(owner, newConversation(owner, agent, channel, draft, at, clock.micros()), once)
    },
    async stop (owner, id, message) {
      const kept = await store.message(owner, id, message)
      if (kept?.status !== 'generating') return kept
      await runs.stop(id, message)
      // Where nobody writes it, since its end could not be kept, it ends here.
      const done = await store.change(owner, id, { message }, (loaded) => finish(loaded, message, stopped(''), given(loaded.agentVersion)))
      const [ended, further] = done?.decision?.messages ?? []
      if (further) runs.start(owner, id, further)
      return ended ?? done?.loaded.message
    },
    regenerate: regenerateOne,
    async feedback (owner, id, message, feedback) {
      return await changeMessage(owner, id, message, (kept) => {
        if (kept.role !== 'agent' && kept.role !== 'person') throw new Refusal('conflict', 'Only answers can be judged, not what a visitor wrote.')
        return { ...kept, feedback }
      })
    },
    async change (owner, id, patch, check) {
      const done = await store.change(owner, id, {}, ({ conversation }) => {
        check(conversation)
        return { conversation: change(conversation, patch, timestamp(clock.micros())), messages: [], events: [{ type: 'conversation.updated' as const, seq: 0 }] }
      })
      return done?.decision.conversation
    },
    async remove (owner, id, check) {
      const gone = await store.remove(owner, id, check)
      if (gone) runs.drop(id)
      return gone
    },
    async named (owner, agent, name) {
      const known = await conversationCalled(owner, agent, name)
      if (known !== undefined) return known
      const at = timestamp(clock.micros())
      return await store.named(owner, agent, name, newConversation(owner, agent, 'compatible', {}, at, clock.micros()))
    },
    known: conversationCalled,
    async regenerateLast (owner, id) {
      const conversation = await store.get(owner, id)
      const [last] = conversation ? await store.messages(owner, id, { before: conversation.messages + 1 }, 1) ?? [] : []
      const begun = last && await regenerateOne(owner, id, last.id)
      return begun && { ...begun.message, seq: begun.message.seq - 1 }
    },
    async sayIn (owner, agent, id, text) {
      const conversation = await store.get(owner, id)
      const received = conversation?.agent === agent ? await say(owner, id, { text, client_id: null, attachments: [] }) : undefined
      if (!received) throw new Refusal('not_found', 'No such conversation.')
      let ended: Answered | undefined
      const answer = answerTo(owner, id, received.message).catch(cutOff).then((found) => {
        ended = found ?? received.message
        needs.notify(id)
        return ended
      })
      const textNow = () => {
        const run = runs.of(id)
        return run && run.answer.seq > received.message.seq ? run.text : ''
      }
      return { topic: topicOf(id), answer, now: () => ({ text: ended?.text ?? textNow(), ended }) }
    },
    aside: (agent, told, message) => answerAside(agent, told, message, needs, closing.signal),
    async close () {
      closing.abort()
      await runs.close()
    },
    async resumeAll () {
      for (const { owner, conversation } of await store.unfinished()) {
        // One that is damaged must not keep the server from starting.
        const done = await store.change(owner, conversation, {}, (loaded) => resume(loaded, given(loaded.agentVersion))).catch(needs.onFault)
        const answer = done?.decision?.messages.find(({ status }) => status === 'generating')
        if (answer) runs.start(owner, conversation, answer)
      }
    }
  }
}

/** A new identifier: a prefix and 128 random bits. */
export function newId (prefix: 'conv' | 'msg' | 'vis'): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`
}

function newConversation (owner: Id, agent: Id, channel: Channel, { visitor = null, language = null, subject = '' }: ConversationDraft, at: string, revision: number): ConversationRecord {
  return {
    id: newId('conv'),
    agent,
    owner,
    visitor,
    channel,
    status: 'open',
    handled_by: 'agent',
    person: null,
    episode: 1,
    epoch: 0,
    language,
    subject,
    outcome: null,
    tickets: [],
    messages: 0,
    created_at: at,
    updated_at: at,
    last_message_at: null,
    revision
  }
}

/** The files that a message names. Refuses one that the conversation does not have: the same words for another conversation's. */
function attachedOf ({ attachments }: Loaded, ids: readonly string[]): Attachment[] {
  const missing = ids.find((id) => !attachments.some((file) => file.id === id))
  if (missing === undefined) return attachments
  throw invalid({ field: 'attachments', message: 'attachments names a file that this conversation does not have. Send the file to …/attachments first, and name the id that it answers.' })
}

function refuseInactive ({ agentStatus }: Loaded) {
  if (agentStatus === 'Inactive') throw new Refusal('agent_inactive', 'This agent is inactive and does not answer. Set its status to Active first.')
}

/**
 * What an answer is about: the visitor's messages right before it, or before the one it replaces, and what was said before them. Pure.
 * `read`: the conversation's last messages, in order.
 */
export function turnOf (agent: AgentRecord, { language }: ConversationRecord, read: readonly MessageRecord[], answer: string): Turn {
  let at = read.findIndex(({ id }) => id === answer)
  for (let old = read[at]?.replaces; old; old = read[at]?.replaces ?? null) at = read.findIndex(({ id }) => id === old)
  const replaced = new Set(read.map(({ replaces }) => replaces))
  const before = (at < 0 ? read : read.slice(0, at)).filter(({ id }) => !replaced.has(id))
  const first = before.findLastIndex(({ role }) => role !== 'visitor') + 1
  const history = before.slice(0, first).map(({ role, text, status }) => ({ role, text, status }))
  return {
    agent,
    language,
    history,
    message: before.slice(first).map(({ text }) => text).join('\n'),
    isFirst: !history.some(({ role, status }) => role === 'agent' && status !== 'generating')
  }
}
