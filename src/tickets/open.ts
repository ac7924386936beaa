import type { Id } from '../../schema/common.ts'
import type { AgentStore } from '../agents/index.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Conversations } from '../conversations/index.ts'
import type { MailShare } from '../deliveries/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Exporter, Sent } from '../personal-data/contract.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { lazily } from '../platform/lazily.ts'
import { openMailbox } from '../platform/net/imap.ts'
import { openSandbox, selfCommand } from '../platform/process/sandbox.ts'
import { mailApart, type Reading } from '../reading/apart.ts'
import { ExtractError, ReaderError } from '../reading/error.ts'
import { sqliteWeights } from '../search/weights.sqlite.ts'
import type { Search } from '../sources/index.ts'
import { autoReply } from './auto-reply.ts'
import { openDesk, type TicketService } from './desk.ts'
import { exportedTickets } from './exported.ts'
import { ANSWER, MAIL, SHOW, TICKET } from './life.ts'
import { addressing } from './mail/address.ts'
import { mailSender } from './mail/send.ts'
import { unaskedMail, type Unasked } from './mail/unasked.ts'
import { deskPace } from './pace.sqlite.ts'
import { addressOfProvider, ticketProvider } from './providers/provider.ts'
import { providerSender } from './providers/send.ts'
import { sqliteTicketingProviderStore } from './providers/store.sqlite.ts'
import { reservedTickets } from './reserved.sqlite.ts'
import { LARGEST_MAIL, type Inbox } from './routes/inbound.ts'
import { sqliteTicketStore } from './store.sqlite.ts'
import type { TicketingProviderStore, TicketStore } from './store.ts'

/** Tickets, and all their incoming and outgoing traffic. */
export interface Tickets {
  store: TicketStore
  providers: TicketingProviderStore
  desk: TicketService
  inbox: Inbox
  /** Undefined where mail is not set up. */
  unasked: Unasked | undefined
  exported: Exporter
  /** Where tickets, and the rest of what is mailed, are sent to. */
  hosts (owner: Id): Promise<Sent[]>
}

/** What tickets need of other features. */
interface TicketFeatures {
  agents: Pick<AgentStore, 'live' | 'renameProvider'>
  business: Pick<BusinessStore, 'get'>
  conversations: Conversations
  search: Search
  /** Each account's share of outgoing mail. */
  share: MailShare
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

/** Opens them: their mail and their providers' messages are sent and fetched from then on. */
export function openTickets (
  kernel: Kernel, { agents, business, conversations, search, share }: TicketFeatures
): Tickets {
  const { db, clock, vault, worker, out, mail, config } = kernel
  const agentOf = agents.live
  const store = sqliteTicketStore(kernel)
  const providers = sqliteTicketingProviderStore({ ...kernel, renameInAgents: agents.renameProvider })
  const addresses = lazily(() => addressing(config.MAIL_FROM, (text) => vault.mac('tickets', text)))
  const ours = () => config.MAIL_FROM === '' ? undefined : addresses()
  const desk = openDesk({
    store, providers, conversations, agentOf, clock, ours: () => (config.SMTP_URL === '' ? undefined : ours())
  })
  const inbox = inboxOf(kernel, desk, providers)
  const way = mail && {
    smtp: mail.smtp,
    ours: addresses,
    installation: () => vault.mac('installation', '').toString('base64url').slice(0, 16)
  }
  const heldMs = deskPace(kernel)
  if (way) {
    const sender = { ...mailSender({ ...way, store, conversations, agentOf, business }), heldMs }
    kernel.sendBy(MAIL, share(MAIL, sender))
  }
  const sender = providerSender({
    tickets: store, providers, conversations, providerOf: (provider) => ticketProvider(provider, out, clock)
  })
  kernel.sendBy(TICKET, { ...sender, heldMs })
  workOnTickets(kernel, desk)
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
  if (config.IMAP_URL) fetchMail(kernel, inbox)
  const reserved = reservedTickets(kernel)
  const unasked = way && unaskedMail({
    ...way,
    * reserve (conversation, to) {
      return (yield * reserved.note(to)) ? (yield * reserved.reserve(conversation)) : undefined
    }
  })
  return {
    store,
    providers,
    desk,
    inbox,
    unasked,
    exported: exportedTickets(store),
    hosts: hostsOf(kernel, providers)
  }
}

/** Where tickets, and the rest of what is mailed, are sent to. */
const hostsOf = ({ mail, config }: Kernel, providers: TicketingProviderStore) => async (owner: Id): Promise<Sent[]> => [
  ...(await providers.list(owner)).map((provider): Sent => ({ url: addressOfProvider(provider), purpose: 'tickets' })),
  ...(mail ? [{ url: config.SMTP_URL, purpose: 'mail' as const }] : [])
]

/** Jobs of the desk, caused by hand-offs, mails and time. */
function workOnTickets ({ worker, clock }: Kernel, desk: TicketService) {
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
function fetchMail ({ config, worker, log }: Kernel, inbox: Inbox) {
  const mailbox = openMailbox(config.IMAP_URL, LARGEST_MAIL)
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
  { vault, clock, out, onFault }: Kernel, desk: TicketService, providers: TicketingProviderStore
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
