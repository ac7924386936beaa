import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { ConversationJob, Conversations } from '../conversations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { Worker } from '../platform/work/worker.ts'
import type { Unasked } from '../tickets/index.ts'
import { GRACE_MS, letterOf, mailTo, quietFor, type Mailed } from './mail.ts'

/** What mailing needs. */
export interface MailingNeeds {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'drop'>
  outbox: Pick<Outbox, 'add'>
  worker: Pick<Worker, 'handle'>
  senders: Record<string, Sender>
  conversations: Pick<Conversations, 'store' | 'visitors' | 'presence'>
  business: Pick<BusinessStore, 'of'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** Whether a visitor has agreed to what the agent shows. */
  hasConsented: (agent: AgentRecord, visitor: VisitorRecord) => boolean
  /** How mail goes out; undefined where it does not. */
  unasked: Unasked | undefined
  onFault: (error: unknown) => void
}

/** The jobs that mail, about conversations, and how they leave. */
export const MAIL_LATER = 'follow-up.mail'
export const FOLLOW_UP_MAIL = 'follow_up_mail'
type Payload = Mailed & { owner: Id, conversation: string }

/** Mails what was said to a visitor who is not there. */
export interface Mailing {
  /** What is asked for in the transaction that says it. */
  ask (conversation: ConversationRecord, seq: number, now: number): ConversationJob[]
}

/** Opens it, before the worker starts. */
export function openMailing (needs: MailingNeeds): Mailing {
  const { db, clock, jobs, worker, senders, conversations: { presence }, business, unasked, onFault } = needs
  const numberOf = db.raw
    .prepare<[string], number>(
      `select subject from jobs where kind = '${MAIL_LATER}' and subject = (select number from conversations where id = ?)`
    )
    .pluck()
  if (unasked) {
    worker.handle(MAIL_LATER, { run: async ({ payload }: Job) => await mail(needs, unasked, payload as Payload) })
    senders[FOLLOW_UP_MAIL] = sender(needs, unasked)
    // Who comes back reads it there.
    presence.on((conversation) => {
      const number = db.read(() => numberOf.get(conversation))
      if (number !== undefined) db.atomically(() => jobs.drop(MAIL_LATER, number)).catch(onFault)
    })
  }
  return {
    ask ({ id, owner, channel, episode, epoch }, seq, now) {
      if (!unasked || channel !== 'widget' || presence.isThere(id)) return []
      const inMs = Math.max(GRACE_MS, quietFor(business.of(owner), clock.micros()))
      const payload: Payload = { owner, conversation: id, episode, epoch, seq, due: now + inMs * 1000 }
      return [{ kind: MAIL_LATER, payload, inMs }]
    }
  }
}

/** Puts one into the outbox, in the transaction that looks once more whether it is wanted; later in quiet hours. */
async function mail (
  needs: MailingNeeds, unasked: Unasked, { owner, conversation: id, ...asked }: Payload
): Promise<{ done: true } | { againInMs: number, fresh: true }> {
  const { clock, outbox, conversations: { store, presence }, business } = needs
  const known = await about(needs, owner, id)
  let quiet = 0
  await store.change(owner, id, {}, ({ conversation }) => {
    const now = clock.micros()
    const to = mailTo({ ...known, conversation, isThere: presence.isThere(id), now }, asked)
    if (to === undefined) return undefined
    quiet = quietFor(business.of(owner), now)
    const ticket = quiet > 0 ? undefined : unasked.reserve(id, to)
    if (ticket === undefined) return undefined
    outbox.add({
      owner,
      channel: FOLLOW_UP_MAIL,
      key: `${FOLLOW_UP_MAIL}/${id}/${asked.seq}`,
      about: `conversations/${id}`,
      payload: {
        type: 'follow-up.mail', to: `visitors/${conversation.visitor}`, ...asked, conversation: id, ticket
      }
    })
    return undefined
  })
  return quiet > 0 ? { againInMs: quiet, fresh: true } : { done: true }
}

/** Sends them: neither at night, however often it was tried before, nor where the visitor has come back meanwhile. */
function sender (needs: MailingNeeds, unasked: Unasked): Sender {
  const { clock, conversations: { presence }, business } = needs
  return {
    heldMs: ({ owner }) => quietFor(business.of(owner), clock.micros()),
    async send ({ owner, payload }, signal) {
      const { conversation: id, ticket, ...asked } = payload as unknown as Mailed & {
        conversation: string, ticket: string
      }
      const { conversation, ...known } = await about(needs, owner, id)
      const said = await saidAt(needs, owner, id, asked.seq)
      const to = conversation &&
        mailTo({ ...known, conversation, isThere: presence.isThere(id), now: clock.micros() }, asked)
      if (!to || !known.agent || !said) {
        throw Object.assign(new Error('The visitor need not be written to any more.'), {
          code: 'not_wanted', retryable: false
        })
      }
      const name = known.agent.appearance.chatbotName
      const { language } = conversation
      return await unasked.send({ ticket, n: asked.seq, to, name, language, ...letterOf(said.text) }, signal)
    }
  }
}

/** A conversation, who speaks in it, with whom, and whether the visitor has agreed to be written to. */
async function about (
  { conversations: { store, visitors }, agentOf, hasConsented }: MailingNeeds, owner: Id, id: string
) {
  const conversation = await store.get(owner, id)
  const agent = conversation && (await agentOf(owner, conversation.speaker ?? conversation.agent))
  const visitor = conversation?.visitor ? await visitors.get(owner, conversation.visitor) : undefined
  const mayWrite = agent !== undefined && visitor !== undefined && hasConsented(agent, visitor)
  return { conversation, agent, visitor, mayWrite }
}

async function saidAt (
  { conversations: { store } }: MailingNeeds, owner: Id, id: string, seq: number
): Promise<MessageRecord | undefined> {
  return (await store.messages(owner, id, { after: seq - 1 }, 1))?.[0]
}
