import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { VisitorStore } from '../conversations/index.ts'
import type { DutyStore } from '../handoff/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Egress } from '../platform/net/egress.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import { backOffMs } from '../platform/work/back-off.ts'
import type { Worker } from '../platform/work/worker.ts'
import { calledIn, standingOf, stillCalls, type Call } from './calls.ts'
import { callRows, type CallRows, type Due } from './calls.sqlite.ts'
import { authorization, sealed, type Sender } from './seal.ts'
import { placeOf, type Target } from './store.sqlite.ts'
import type { CallReason } from '../locales/contract.ts'
import { wordsOf } from './words.ts'

/** The kind of the jobs that push. */
const PUSH = 'notifications.push'
/** What a push service answers of a browser that is no longer there. */
const GONE = [404, 410]
/** What a push service may answer at most; nobody reads it. */
const MOST_BYTES = 65_536
/** How often it is tried, and milliseconds until it is tried the second time; who was called late was not called. */
const TRIES = 5
const FIRST_WAIT_MS = 5000
/** Seconds for which a service keeps it for a browser that is away: a ticket is opened for those who wait longer. */
const WAITING_TTL_S = 120
const WRITTEN_TTL_S = 3600

/** What pushing needs. */
export interface PushingNeeds {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'ask'>
  worker: Pick<Worker, 'handle'>
  announcements: Announcements
  vault: Vault
  duty: Pick<DutyStore, 'hasConsole'>
  visitors: Pick<VisitorStore, 'get'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  out: Pick<Egress, 'fetch'>
  /** Whether anything is pushed at all. */
  isOn: boolean
  sender: () => Sender
  /** Whom a push service can ask, as an address. */
  contact: string | undefined
}

/** Calls people whose console is closed, from now on: decided in the transaction of what happened, sent by jobs. */
export function pushCalls (needs: PushingNeeds) {
  const rows = callRows(needs.db, needs.clock)
  if (needs.isOn) decide(needs, rows)
  send(needs, rows)
}

/** Decides who is called, by all that is announced. */
function decide ({ jobs, announcements, duty }: PushingNeeds, rows: CallRows) {
  announcements.on(function * (happening) {
    if (happening.type === 'handoff.requested') {
      const { conversation } = happening.data
      yield * call(conversation, { message: 0, turn: conversation.epoch }, null)
    }
    if (happening.type === 'handoff.assigned') {
      const { conversation, to } = happening.data
      yield * call(conversation, { message: 0, turn: conversation.epoch }, to)
    }
    if (happening.type === 'message.completed') {
      const { conversation, message: { role, seq } } = happening.data
      if (role === 'visitor' && conversation.handled_by === 'person') {
        yield * call(conversation, { message: seq, turn: 0 }, conversation.person)
      }
    }
  })

  /** `user`: of whom alone it is known that they can be called. */
  function * call (conversation: ConversationRecord, called: Call, user: Id | null) {
    const { owner } = conversation
    const standing = standingOf(conversation)
    for (const { session, ...person } of yield * rows.browsers(conversation, user)) {
      const inMs = calledIn(standing, called, { ...person, hasConsole: duty.hasConsole(owner, person.user) })
      if (inMs === undefined) continue
      const subject = yield * rows.add(conversation, session, called)
      // What waits already tells of this too: it must not wait longer for it.
      yield * jobs.ask({ kind: PUSH, subject, owner, inMs, lane: 'outside', unlessAsked: true })
    }
  }
}

/** Sends what was decided, as long as it still calls. */
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
      // Something newer came while this was on its way.
      return isDone ? { done: true } : { againInMs: 0, fresh: true }
    }
  })
}

/** Why somebody is called. */
function reasonOf ({ call, standing }: Pick<Due, 'call' | 'standing'>): CallReason {
  if (call.message > 0) return 'written'
  return standing.by === 'queue' ? 'waiting' : 'given'
}

/** Pushes; the answer is the status of the push service, 503 where it cannot be reached now, 400 where never. */
function pushing ({ clock, vault, visitors, agentOf, out, sender, contact }: PushingNeeds) {
  /** Undefined where it cannot be read with the key that there is: the browser says it anew when its console opens. */
  function targetOf ({ browser: { session, sealed } }: Due): Target | undefined {
    try {
      return JSON.parse(vault.open(placeOf(session), sealed)) as Target
    } catch {
      return undefined
    }
  }

  async function wordsFor (
    { owner, agent, visitor, conversation, browser: { language }, ...due }: Due
  ): Promise<string> {
    const name = visitor === null ? null : (await visitors.get(owner, visitor))?.name ?? null
    const { chatbotName } = (await agentOf(owner, agent))!.appearance
    return JSON.stringify(wordsOf(language, { conversation, why: reasonOf(due), visitor: name, agent: chatbotName }))
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
        // Of one conversation the newest alone waits for a browser that is away; which one, the service does not learn.
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
