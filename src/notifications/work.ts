import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { VisitorStore } from '../conversations/index.ts'
import type { DutyStore } from '../handoff/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { backOffMs } from '../platform/work/back-off.ts'
import { calledIn, standingOf, stillCalls, type Call } from './calls.ts'
import { callRows, type CallRows, type Due } from './calls.sqlite.ts'
import { authorization, sealed, type Sender } from './seal.ts'
import { placeOf, type Target } from './store.sqlite.ts'
import type { CallReason } from '../locales/contract.ts'
import { wordsOf } from './words.ts'

/** The kind of the jobs that push. */
const PUSH = 'notifications.push'
/** Responses of a push service for a browser that no longer exists. */
const GONE = [404, 410]
/** Maximum bytes of a push service's response; nobody reads it. */
const MOST_BYTES = 65_536
/** Maximum attempts, and milliseconds until the second: late notifications are useless. */
const TRIES = 5
const FIRST_WAIT_MS = 5000
/** Seconds for which a service stores it for an offline browser: a ticket is opened for those who wait longer. */
const WAITING_TTL_S = 120
const WRITTEN_TTL_S = 3600

/** What pushing needs of other features. */
export interface CallNeeds {
  duty: Pick<DutyStore, 'hasConsole'>
  visitors: Pick<VisitorStore, 'get'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}

interface PushingNeeds extends CallNeeds, Pick<Kernel, 'db' | 'clock' | 'jobs' | 'worker' | 'eventBus' | 'vault' | 'out'> {
  /** Whether anything is pushed at all. */
  isOn: boolean
  sender: () => Sender
  /** The contact address for push services. */
  contact: string | undefined
}

/** Notifies people whose console is closed, from now on: decided in the transaction of the event, sent by jobs. */
export function pushCalls (needs: PushingNeeds) {
  const rows = callRows(needs.db, needs.clock)
  if (needs.isOn) decide(needs, rows)
  send(needs, rows)
}

/** Decides who is notified of an event. */
function decide ({ jobs, eventBus, duty }: PushingNeeds, rows: CallRows) {
  eventBus.on(['handoff.requested'], ({ data: { conversation } }) =>
    call(conversation, { message: 0, turn: conversation.epoch }, null))
  eventBus.on(['handoff.assigned'], ({ data: { conversation, to } }) =>
    call(conversation, { message: 0, turn: conversation.epoch }, to))
  eventBus.on(['message.completed'], function * ({ data: { conversation, message: { role, seq } } }) {
    if (role === 'visitor' && conversation.handled_by === 'person') {
      yield * call(conversation, { message: seq, turn: 0 }, conversation.person)
    }
  })

  /** `user`: the only one who can be notified. */
  function * call (conversation: ConversationRecord, called: Call, user: Id | null) {
    const { owner } = conversation
    const standing = standingOf(conversation)
    for (const { session, ...person } of yield * rows.browsers(conversation, user)) {
      const inMs = calledIn(standing, called, { ...person, hasConsole: duty.hasConsole(owner, person.user) })
      if (inMs === undefined) continue
      const subject = yield * rows.add(conversation, session, called)
      // The pending push covers this too: it must not be delayed for it.
      yield * jobs.ask({ kind: PUSH, subject, owner, inMs, lane: 'outside', unlessAsked: true })
    }
  }
}

/** Sends what was decided, as long as it is still needed. */
function send (needs: PushingNeeds, rows: CallRows) {
  const { db, worker, isOn } = needs
  const push = pushing(needs)

  async function due (id: Id): Promise<Due | undefined> {
    const found = await db.read(() => rows.due(id))
    return isOn && found && stillCalls(found.standing, found.call, found.browser) ? found : undefined
  }

  worker.handle(PUSH, {
    tries: TRIES,
    async run ({ subject, attempt }, signal) {
      const found = await due(subject)
      const status = found ? await push(found, signal) : 0
      if ((status === 429 || status >= 500) && attempt < TRIES) {
        return { againInMs: backOffMs(attempt, { firstMs: FIRST_WAIT_MS }) }
      }
      const isDone = await db.atomically(function * () {
        if (GONE.includes(status)) yield * rows.removeBrowser(found!.browser.session)
        if (found && !GONE.includes(status)) return yield * rows.told(subject, found.call)
        yield * rows.forget(subject)
        return true
      }, { frees: true })
      // Something newer came while this was being sent.
      return isDone ? { done: true } : { againInMs: 0, fresh: true }
    }
  })
}

/** Why somebody is notified. */
function reasonOf ({ call, standing }: Pick<Due, 'call' | 'standing'>): CallReason {
  if (call.message > 0) return 'written'
  return standing.by === 'queue' ? 'waiting' : 'given'
}

/** Pushes; returns the status of the push service, 503 if it cannot be reached now, 400 if never. */
function pushing ({ clock, vault, visitors, agentOf, out, sender, contact }: PushingNeeds) {
  /** Undefined if it cannot be decrypted with the current key: the browser subscribes again when its console opens. */
  function targetOf ({ browser: { session, sealed } }: Due): Target | undefined {
    try {
      return JSON.parse(vault.open(placeOf(session), sealed)) as Target
    } catch {
      return undefined
    }
  }

  async function wordsFor (
    { owner, agent, visitor: id, conversation, browser: { language }, ...due }: Due
  ): Promise<string> {
    const visitor = id === null ? undefined : await visitors.get(owner, id)
    const { chatbotName } = (await agentOf(owner, agent))!.appearance
    return JSON.stringify(wordsOf(language, { conversation, why: reasonOf(due), visitor, agent: chatbotName }))
  }

  return async (found: Due, signal: AbortSignal): Promise<number> => {
    const target = targetOf(found)
    if (!target) return GONE[0]!
    const { endpoint, ...keys } = target
    return await out.fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization: authorization(sender(), endpoint, { contact, now: Math.floor(clock.micros() / 1_000_000) }),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(reasonOf(found) === 'waiting' ? WAITING_TTL_S : WRITTEN_TTL_S),
        urgency: 'high',
        // Only a conversation's newest push waits for an offline browser; the service does not learn which one that is.
        topic: vault.mac('push topics', found.conversation).toString('base64url').slice(0, 32)
      },
      body: sealed(await wordsFor(found), keys),
      maxBytes: MOST_BYTES,
      redirect: 'manual',
      anyStatus: true,
      signal
    }).then(({ status }) => status, (error: { retryable?: boolean }) => {
      signal.throwIfAborted()
      return error.retryable ? 503 : 400
    })
  }
}
