import { hash } from 'node:crypto'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationTicketDraft, Ticket, TicketDraft, TicketPatch } from '../../schema/tickets.ts'
import { addressIn, type Conversations } from '../conversations/index.ts'
import { prepared } from '../guards/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Job } from '../platform/work/jobs.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { MailReading } from '../reading/mail.ts'
import {
  BOUNCED, addressed, changed, isUnsent, leaves, opened, said, settled, shown, told, wayOf, type Asked, type Kept,
  type Said, type TicketDecision, type Way
} from './life.ts'
import { newTicketId, type Addressing } from './mail/address.ts'
import { judge, type Dropped, type Verdict } from './mail/judge.ts'
import { taken } from './mail/taken.ts'
import type { ProviderUpdate } from './providers/base/contract.ts'
import type { OpenProvider, TicketingProviderStore, TicketStore } from './store.ts'

/** The outcome of an incoming mail. */
export type Taken = 'taken' | 'held' | 'bounced' | 'gone' | Dropped

/** Operations on tickets. A ticket, agent or conversation that is missing, or somebody else's, is `undefined`. */
export interface TicketService {
  /** Opens a ticket. */
  open (owner: Id, draft: TicketDraft, once?: IdempotencyKey): Promise<IdempotentResult<Ticket> | undefined>
  /** Opens one about a conversation, prefilled from it. */
  openFor (
    owner: Id, conversation: string, draft: ConversationTicketDraft, once?: IdempotencyKey
  ): Promise<IdempotentResult<Ticket> | undefined>
  /** Opens the ticket that a hand-off requested: one for each epoch of a conversation. */
  handedOff (job: Job): Promise<void>
  /** Stores the address that a visitor gave when asked as theirs, and as their tickets'. */
  addressed (job: Job): Promise<void>
  /** Shows in the chat what could not be sent. False if that has to be retried. */
  show (job: Job): Promise<boolean>
  /**
   * A person writes to a ticket; the message goes to its requester. Refuses with `provider_removed`,
   * `recipient_unknown` or `mail_not_set_up` if they cannot be reached.
   */
  reply (
    owner: Id, id: string, text: string, from: string, once?: IdempotencyKey
  ): Promise<IdempotentResult<Ticket> | undefined>
  change (owner: Id, id: string, patch: TicketPatch, match?: Match<Ticket>): Promise<Ticket | undefined>
  /** Sends waiting tickets opened since this time, if there is a route by now. */
  leave (since: string, signal: AbortSignal): Promise<void>
  /** Takes in a mail; idempotent if it is delivered repeatedly. */
  receiveMail (mail: MailReading): Promise<Taken>
  /** Takes in a provider's update of one of its tickets. False if it has no such ticket. */
  receiveUpdate (provider: OpenProvider, update: ProviderUpdate): Promise<boolean>
}

/** Dependencies. */
interface DeskNeeds {
  store: TicketStore
  providers: TicketingProviderStore
  conversations: Pick<Conversations, 'store' | 'visitors' | 'talk'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  clock: Clock
  /** The addresses of our mail; undefined if mail is not set up. */
  ours: () => Addressing | undefined
}

/** A ticket requested by a hand-off. */
interface HandOff { owner: Id, conversation: string, epoch?: number, reason?: string }

/** A change of a visitor's address. `before`: the message with their previous one; 0 if none. */
interface Addressed { owner: Id, conversation: string, before: number }

const READ_BACK = 50

/** Opens the desk. */
export function openDesk ({ store, providers, conversations, agentOf, clock, ours }: DeskNeeds): TicketService {
  const now = () => timestamp(clock.micros())

  const digest = (text: string) => hash('sha256', text, 'base64url')

  const wayOfNow = async (agent: AgentRecord): Promise<Way> =>
    wayOf(agent, await providers.names(agent.owner), ours() !== undefined)

  async function decided (asked: Asked, id = newTicketId()): Promise<TicketDecision> {
    return opened(asked, await wayOfNow(asked.agent), { id, at: now() })
  }

  /** Sends an agent's waiting tickets, if there is a route by now. */
  async function leaveOf (owner: Id, id: Id, since: string, signal: AbortSignal) {
    const agent = await agentOf(owner, id)
    const way = agent && await wayOfNow(agent)
    if (!way || way.kind === 'none') return
    let from = { at: since, number: 0 }
    for (;;) {
      const some = await store.waiting(owner, id, from)
      for (const { id } of some) {
        if (signal.aborted) return
        await store.change(owner, id, (kept) => leaves(kept, way, now()))
      }
      const last = some.at(-1)
      if (!last) return
      from = last
    }
  }

  /** A conversation and its participants. */
  async function about (owner: Id, id: string) {
    const conversation = await conversations.store.get(owner, id)
    const agent = conversation && await agentOf(owner, conversation.agent)
    if (!agent) return undefined
    const visitor =
      conversation.visitor === null ? undefined : await conversations.visitors.get(owner, conversation.visitor)
    const read = await conversations.store.messages(owner, id, { before: conversation.messages + 1 }, READ_BACK) ?? []
    return { conversation, agent, visitor, said: read }
  }

  async function openFor (
    owner: Id, id: string, draft: ConversationTicketDraft, epoch: number | null, once?: IdempotencyKey
  ) {
    const known = await about(owner, id)
    return (
      known && (await store.add(owner, await decided({ ...draft, ...known }), { conversation: id, epoch }, once))
    )
  }

  /** Opens the ticket reserved for answers to a mail about a conversation; returns its owner. */
  async function openReserved ({ kind, ticket }: Verdict & { kind: 'message' | 'bounced' }): Promise<Id | undefined> {
    const reserved = kind === 'message' ? await store.reserved(ticket) : undefined
    const known = reserved && await about(reserved.owner, reserved.conversation)
    if (!known) return undefined
    const { owner, conversation } = reserved
    await store.add(owner, await decided(known, ticket), { conversation, epoch: null })
    return owner
  }

  /** The address in a visitor's message at this position, or right before it. */
  async function addressAt (owner: Id, id: string, seq: number, own: string | null): Promise<string | null> {
    const read = seq > 0 ? await conversations.store.messages(owner, id, { before: seq + 1 }, 2) : undefined
    const text = read?.findLast(({ role }) => role === 'visitor')?.text
    return (text !== undefined && addressIn(text, own)?.email) || null
  }

  /** Sets the address that a visitor gave on them and their tickets, replacing the one they gave before. */
  async function spread (owner: Id, id: string, said = 0) {
    const { conversation, agent, visitor } = await about(owner, id) ?? {}
    const own = agent?.behavior.email ?? null
    const email = conversation && await addressAt(owner, id, conversation.course.address ?? 0, own)
    if (!email) return
    const before = await addressAt(owner, id, said, own)
    if (visitor) {
      await conversations.visitors.update(owner, visitor.id, (kept) =>
        kept.email === null || kept.email === before ? { ...kept, email } : kept
      )
    }
    for (const ticket of conversation.tickets) {
      await store.change(owner, ticket, (kept) => addressed(kept, email, before, now()))
    }
  }

  async function receive (
    owner: Id, id: string, mail: MailReading, verdict: Verdict & { kind: 'message' }
  ): Promise<Taken> {
    const before = await store.get(owner, id)
    const agent = before && (await agentOf(owner, before.ticket.agent))
    if (!agent) return 'gone'
    const isMember = verdict.side === 'business' && (await store.isMember(owner, verdict.from))
    const origin = digest(mail.messageId ?? JSON.stringify(mail))
    let isHeld = false
    await prepared(verdict.text, agent.behavior.guardRules, 'asked')
    await store.change(owner, id, (kept) => {
      const decision = taken(kept, verdict, { agent, isMember, origin, at: now() })
      isHeld = decision.said?.held ?? false
      return decision
    })
    return isHeld ? 'held' : 'taken'
  }

  return {
    async open (owner, { agent: id, conversation, ...draft }, once) {
      const known = conversation ? await about(owner, conversation) : undefined
      if (conversation && known?.agent.id !== id) return undefined
      const agent = await agentOf(owner, id)
      return (
        agent &&
        (await store.add(
          owner,
          await decided({ ...draft, ...known, agent }),
          conversation ? { conversation, epoch: null } : undefined,
          once
        ))
      )
    },

    openFor: async (owner, id, draft, once) => await openFor(owner, id, draft, null, once),

    async handedOff ({ payload }) {
      const { owner, conversation, epoch } = payload as HandOff
      const bound = epoch ?? (await conversations.store.get(owner, conversation))?.epoch
      // If the conversation was deleted meanwhile, there is nothing left to ask.
      const made = bound === undefined ? undefined : await openFor(owner, conversation, {}, bound)
      // The visitor may have given their address while it was being opened.
      if (made && !made.answer.requester?.email) await spread(owner, conversation)
    },

    async addressed ({ payload }) {
      const { owner, conversation, before } = payload as Addressed
      await spread(owner, conversation, before)
    },

    async show ({ payload }) {
      const { owner, ticket: id } = payload as { owner: Id, ticket: string }
      const { ticket, messages = [] } = await store.get(owner, id) ?? {}
      for (const { n, text } of messages.filter(isUnsent)) {
        const to = ticket?.conversation
        if (to && !await conversations.talk.relay(owner, to, { text, client_id: `${id}/${n}` })) return false
      }
      return true
    },

    reply: async (owner, id, text, from, once) => await store.change(owner, id, (kept) => said(kept, {
      role: 'person', from, text, held: false, to: wayBack(kept, ours() !== undefined)
    }, now()), once),

    async change (owner, id, patch, match) {
      const outcome = await store.change(owner, id, (kept) => {
        match?.(shown(kept))
        return changed(kept, patch, now())
      })
      return outcome?.answer
    },

    async leave (since, signal) {
      for (let next = await store.nextWaiting(0); next; next = await store.nextWaiting(next.agent)) {
        // Yields to the event loop for each: there may be many that never set anything up.
        await nextTurn()
        if (signal.aborted) return
        await leaveOf(next.owner, next.agent, since, signal)
      }
    },

    async receiveMail (mail) {
      const addresses = ours()
      const verdict = addresses ? judge(mail, addresses) : { kind: 'dropped' as const, why: 'not_addressed' as const }
      if (verdict.kind === 'dropped') return verdict.why
      const owner = (await store.ownerOf(verdict.ticket)) ?? (await openReserved(verdict))
      if (owner === undefined) return 'gone'
      if (verdict.kind === 'message') return await receive(owner, verdict.ticket, mail, verdict)
      const error = { code: BOUNCED, message: `The mail did not arrive: ${verdict.detail}`.slice(0, 500) }
      await store.change(owner, verdict.ticket, ({ ticket }) => settled(ticket, { state: 'dead', error }, 0, now()))
      return 'bounced'
    },

    async receiveUpdate ({ id, owner, name }, { externalId, message, status, origin, request }) {
      const ticket = await store.byExternal(owner, id, externalId)
      if (ticket === undefined) return false
      if (message) {
        const words: Said = {
          role: 'person',
          from: message.from ?? name,
          text: message.text,
          held: false,
          origin: digest(origin),
          to: null
        }
        await store.change(owner, ticket, (kept) => said(kept, words, now()))
      }
      if (status) {
        const once = request !== undefined && { request: digest(request) }
        await store.change(owner, ticket, (kept) => told(kept, { status, ...once }, now()))
      }
      return true
    }
  }
}

/** How a person's message reaches the requester. */
function wayBack ({ ticket: { provider, channel, requester } }: Kept, hasMail: boolean): Said['to'] {
  if (provider !== null) return 'provider'
  if (channel !== 'email') {
    throw new Refusal('provider_removed', `The ticketing provider ${channel} was removed. Open a new ticket.`)
  }
  if (!requester?.email) {
    throw new Refusal('recipient_unknown', 'There is no address to answer to: set requester.email of the ticket first.')
  }
  if (!hasMail) {
    throw new Refusal(
      'mail_not_set_up',
      'Mail is not set up here. Ask the operator for AGENTHALL_SMTP_URL and AGENTHALL_MAIL_FROM.'
    )
  }
  return 'requester'
}
