import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Conversations } from '../conversations/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { lazily } from '../platform/lazily.ts'
import type { Egress } from '../platform/net/egress.ts'
import { openMailbox } from '../platform/net/imap.ts'
import { openSmtp } from '../platform/net/smtp.ts'
import { openSandbox, selfCommand } from '../platform/process/sandbox.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { Worker } from '../platform/work/worker.ts'
import { mailApart, type Reading } from '../reading/apart.ts'
import { ExtractError, ReaderError } from '../reading/error.ts'
import { sqliteWeights } from '../search/weights.sqlite.ts'
import type { Log, Search } from '../sources/index.ts'
import { autoReply } from './auto-reply.ts'
import { openDesk, type TicketService } from './desk.ts'
import { ANSWER, MAIL, SHOW, TICKET } from './life.ts'
import { addressing } from './mail/address.ts'
import { mailSender } from './mail/send.ts'
import { unaskedMail, type Unasked } from './mail/unasked.ts'
import { deskPace } from './pace.sqlite.ts'
import { ticketProvider, type CheckAddress } from './providers/provider.ts'
import { providerSender } from './providers/send.ts'
import { sqliteTicketingProviderStore } from './providers/store.sqlite.ts'
import { reservedTickets } from './reserved.sqlite.ts'
import { LARGEST_MAIL, type Inbox } from './routes/inbound.ts'
import { sqliteTicketStore, type TicketStoreNeeds } from './store.sqlite.ts'
import type { TicketingProviderStore, TicketStore } from './store.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** Tickets, and all their incoming and outgoing traffic. */
export interface Tickets {
  store: TicketStore
  providers: TicketingProviderStore
  desk: TicketService
  inbox: Inbox
  /** Undefined where mail is not set up. */
  unasked: Unasked | undefined
}

/** The operator's settings for outgoing and incoming mail; empty if not set up. */
interface MailSettings { smtp: string, from: string, imap: string }

/** What tickets are built on. */
interface TicketsNeeds extends TicketStoreNeeds {
  db: Database
  mail: MailSettings
  worker: Worker
  senders: Record<string, Sender>
  conversations: Conversations
  search: Search
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  business: Pick<BusinessStore, 'get'>
  out: Pick<Egress, 'fetch'>
  check: CheckAddress
  /** See ProviderStoreNeeds. */
  renameInAgents: (owner: Id, from: string, to: string) => Work<void>
  log: Log
  onFault: (error: unknown) => void
}

/** Job kinds that a hand-off queues. */
const OPEN = 'ticket.open'
const ADDRESS = 'ticket.address'
/** How long until a check whether a pending answer is done. */
const WRITING_MS = 2000
const LOOK_MS = 60_000
/** How often waiting tickets are checked for a route, and for how many days they wait for one. */
const LEAVE_MS = 5 * 60_000
const WAITS_DAYS = 30
const DAY_MS = 86_400_000
const PARSING = { memoryMiB: 256, deadlineMs: 15_000 }

/** Opens them on the stores' parts, before the worker starts. */
export function openTickets (needs: TicketsNeeds): Tickets {
  const { db, clock, vault, worker, senders, conversations, out, mail, agentOf, business, search } = needs
  const store = sqliteTicketStore(needs)
  const providers = sqliteTicketingProviderStore(needs)
  const addresses = lazily(() => addressing(mail.from, (text) => vault.mac('tickets', text)))
  const ours = () => mail.from === '' ? undefined : addresses()
  const desk = openDesk({
    store, providers, conversations, agentOf, clock, ours: () => (mail.smtp === '' ? undefined : ours())
  })
  const inbox = inboxOf(needs, desk, providers)
  const way = mail.smtp && mail.from
    ? {
        smtp: openSmtp(mail.smtp),
        ours: addresses,
        installation: () => vault.mac('installation', '').toString('base64url').slice(0, 16)
      }
    : undefined
  const heldMs = deskPace(needs)
  if (way) senders[MAIL] = { ...mailSender({ ...way, store, conversations, agentOf, business }), heldMs }
  const sender = providerSender({
    tickets: store, providers, conversations, providerOf: (provider) => ticketProvider(provider, out, clock)
  })
  senders[TICKET] = { ...sender, heldMs }
  workOnTickets(needs, desk)
  const weigh = sqliteWeights(db)
  worker.handle(
    ANSWER,
    autoReply({
      store,
      agentOf,
      clock,
      search,
      aside: conversations.talk.aside,
      weigh: async (...about) => db.read(() => weigh(...about))
    })
  )
  if (mail.imap) fetchMail(needs, inbox)
  const reserved = reservedTickets(needs)
  const unasked = way && unaskedMail({
    ...way,
    * reserve (conversation, to) {
      return (yield * reserved.note(to)) ? (yield * reserved.reserve(conversation)) : undefined
    }
  })
  return { store, providers, desk, inbox, unasked }
}

/** Jobs of the desk, caused by hand-offs, mails and time. */
function workOnTickets ({ worker, clock }: TicketsNeeds, desk: TicketService) {
  worker.handle(OPEN, {
    async run (job) {
      await desk.handedOff(job)
      return { done: true }
    }
  })
  worker.every('tickets.leave', LEAVE_MS, async (signal) => {
    await desk.leave(timestamp(clock.micros() - WAITS_DAYS * DAY_MS * 1000), signal)
  })
  worker.handle(ADDRESS, {
    async run (job) {
      await desk.addressed(job)
      return { done: true }
    }
  })
  worker.handle(SHOW, {
    run: async (job) => await desk.show(job) ? { done: true } : { againInMs: WRITING_MS, fresh: true }
  })
}

/** Fetches incoming mail from the mailbox, once a minute. */
function fetchMail ({ mail, worker, log }: TicketsNeeds, inbox: Inbox) {
  const mailbox = openMailbox(mail.imap, LARGEST_MAIL)
  worker.every('mail.fetch', LOOK_MS, async (signal) => {
    // A mailbox may be unreachable for any time; the next look finds what came meanwhile.
    await mailbox
      .each(async (bytes) => TAKEN.has(await inbox.mail(bytes)), signal)
      .catch((error: Error) => log.warn({ why: error.message }, 'the mailbox of AGENTHALL_IMAP_URL could not be read'))
  })
}

/** Mail that a person no longer needs to look at in the mailbox. */
const TAKEN: ReadonlySet<string> = new Set(['taken', 'held', 'bounced'])

function inboxOf (
  { vault, clock, out, onFault }: TicketsNeeds, desk: TicketService, providers: TicketingProviderStore
): Inbox {
  const reading: Reading = {
    ...PARSING, sandbox: openSandbox({ atOnce: 1 }), command: selfCommand('__extract'), onCrash: onFault
  }
  return {
    token: () => vault.mac('inbound mail', '').toString('base64url').slice(0, 32),
    async mail (bytes, commits) {
      try {
        const read = await mailApart(bytes, reading)
        commits?.()
        return await desk.receiveMail(read)
      } catch (error) {
        if (error instanceof ExtractError) return 'empty'
        throw error instanceof ReaderError
          ? new Refusal('unavailable', 'The mail cannot be read now; send it again.', {
            headers: { 'retry-after': '60' }, cause: error
          })
          : error
      }
    },
    providerOf: async (token) => await providers.byInbound(token),
    parse: (provider, request) => ticketProvider(provider, out, clock).parseWebhook(request),
    update: async (provider, update) => await desk.receiveUpdate(provider, update)
  }
}
