import t from 'tap'
import type { AgentRecord } from '../../schema/agents.ts'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { TicketMessage, TicketRecord } from '../../schema/tickets.ts'
import {
  addressed, BOUNCED, changed, dispatch, HELD, isUnsent, isWithoutAddress, leaves, MAIL, MOST_MESSAGES, MOST_PASSED_ON,
  opened, said, settled, shown, TICKET, told, wayOf, type Asked, type Kept, type Way
} from '../../src/tickets/life.ts'

const AT = '2026-01-01T00:00:00.000000Z'
const LATER = '2026-01-02T00:00:00.000000Z'
const AGENT = {
  id: 7,
  owner: 1,
  behavior: { email: 'help@shop.example', ticketType: 'email' },
  ticketing_providers: [],
  default_ticketing_provider: null
} as unknown as AgentRecord
const PROVIDER: Way = { kind: 'provider', id: 3, name: 'Ours' }
const NONE: Way = { kind: 'none', why: 'No.' }

const open = (asked: Partial<Asked> = {}, way: Way = { kind: 'mail' }) =>
  opened({ agent: AGENT, ...asked }, way, { id: 'tkt_1', at: AT })
const ticketWith = (more: Partial<TicketRecord> = {}, way?: Way): TicketRecord => ({ ...open({}, way).ticket, ...more })
const message = (n: number, more: Partial<TicketMessage> = {}): TicketMessage =>
  ({ n, role: 'person', from: null, text: 'Hello', held: false, created_at: AT, ...more })
const kept = (more: Partial<TicketRecord> = {}, messages: TicketMessage[] = []): Kept =>
  ({ ticket: ticketWith(more), messages })
const ADA = { name: 'Ada', email: 'ada@visitor.example' }

t.test('a ticket goes to the first provider that is set up, else by mail, else nowhere, with the reason', (t) => {
  const providers = new Map([['B', 2], ['C', 3]])
  const way = (behavior: object, more: object = {}, hasMail = true) => wayOf(
    { ...AGENT, behavior: { ...AGENT.behavior, ...behavior }, ...more } as AgentRecord, providers, hasMail)
  const third = { ticketType: 'thirdparty' }
  t.strictSame(way({}), { kind: 'mail' })
  t.strictSame(way({}, { ticketing_providers: ['B'] }), { kind: 'mail' }, 'an agent that sends mails asks no provider')
  t.match(way({}, {}, false), { kind: 'none', why: 'Mail is not set up on this server.' })
  t.match(way({ email: null }), { kind: 'none', why: /no address for tickets/ })
  t.match(way({ email: null }, {}, false), { kind: 'none', why: /no address for tickets/ })
  t.strictSame(way(third, { ticketing_providers: ['A', 'B', 'C'] }), { kind: 'provider', id: 2, name: 'B' })
  const first = { ticketing_providers: ['B'], default_ticketing_provider: 'C' }
  t.strictSame(way(third, first), { kind: 'provider', id: 3, name: 'C' })
  t.strictSame(way(third, { ...first, default_ticketing_provider: 'A' }), { kind: 'provider', id: 2, name: 'B' })
  t.strictSame(way(third, { ticketing_providers: ['A'] }), { kind: 'mail' }, 'where there is none, by mail')
  t.match(way({ ...third, email: null }, { ticketing_providers: ['A'] }), { kind: 'none', why: /ticketing providers is set up/ })
  t.end()
})

t.test('a new ticket says what is asked, who asks, and where it goes', (t) => {
  const bare = open()
  t.match(bare, {
    ticket: {
      id: 'tkt_1',
      owner: 1,
      agent: 7,
      conversation: null,
      requester: null,
      subject: 'Ticket',
      description: '',
      status: 'pending',
      channel: 'email',
      provider: null,
      error: null,
      is_answered: false,
      created_at: AT,
      updated_at: AT
    },
    dispatches: [{ owner: 1, channel: MAIL, key: 'tkt_1/0/business', about: 'tickets/tkt_1' }],
    jobs: [],
    domainEvents: [{ owner: 1, agent: 7, type: 'ticket.created' }]
  })
  const conversation = { id: 'conv_1', subject: 'My order' } as ConversationRecord
  const visitor = ADA as VisitorRecord
  const talk = [
    { role: 'visitor', text: 'Old' }, { role: 'visitor', text: 'Where is it?' }, { role: 'agent', text: 'Hm.' }
  ] as MessageRecord[]
  const whole = open({ conversation, visitor, said: talk }, PROVIDER)
  t.match(whole.ticket, {
    conversation: 'conv_1', requester: ADA, subject: 'My order', description: 'Where is it?', channel: 'Ours', provider: 3
  })
  t.match(whole.dispatches, [{ channel: TICKET, key: 'tkt_1/0/provider', payload: { to: 'ticketing_providers/3', n: 0, side: 'provider', type: 'ticket.create' } }])
  t.equal(open({ conversation: { ...conversation, subject: '' } }).ticket.subject, 'Ticket')
  t.match(open({ conversation, visitor, subject: 'S', description: 'D', requester: { email: 'b@b.example' } }).ticket, {
    subject: 'S', description: 'D', requester: { name: 'Ada', email: 'b@b.example' }
  })
  t.strictSame(open({ requester: { name: 'Bo' } }).ticket.requester, { name: 'Bo', email: null })
  t.strictSame(open({ requester: { email: 'b@b.example' } }).ticket.requester, { name: null, email: 'b@b.example' })
  const none = open({}, NONE)
  t.match(none.ticket, { status: 'open', channel: 'email', provider: null, error: { code: 'not_sent', message: /^No\. The ticket is sent/ } })
  t.strictSame(none.dispatches, [])
  const long = open({ subject: 's'.repeat(201), description: 'd'.repeat(20_001) }).ticket
  t.strictSame([long.subject.length, long.description.length], [200, 20_000])
  const fits = open({ subject: 's'.repeat(200), description: 'd'.repeat(20_000) }).ticket
  t.strictSame([fits.subject, fits.description], ['s'.repeat(200), 'd'.repeat(20_000)])
  t.end()
})

t.test('what waits here leaves when there is a way, unless a person works on it', (t) => {
  const waiting: Kept = { ticket: ticketWith({}, NONE), messages: [message(1, { role: 'visitor' })] }
  const left = leaves(waiting, { kind: 'mail' }, LATER)!
  t.match(left, {
    ticket: { status: 'pending', error: null, updated_at: LATER },
    dispatches: [{ key: 'tkt_1/0/business' }],
    jobs: [],
    domainEvents: [{ type: 'ticket.updated' }]
  })
  t.equal(leaves(waiting, NONE, LATER), undefined)
  t.equal(leaves({ ...waiting, messages: [message(1), message(2, { role: 'visitor' })] }, PROVIDER, LATER), undefined)
  t.equal(leaves(kept({ status: 'open' }), PROVIDER, LATER), undefined, 'one that a person has opened')
  t.equal(leaves({ ...waiting, ticket: { ...waiting.ticket, status: 'closed' } }, PROVIDER, LATER), undefined)
  const other = { ...waiting.ticket, error: { code: BOUNCED, message: '' } } as TicketRecord
  t.equal(leaves({ ...waiting, ticket: other }, PROVIDER, LATER), undefined)
  t.end()
})

t.test('what is written opens a ticket, but for what an agent writes and what is held', (t) => {
  const write = (more: object, at: Partial<TicketRecord> = { status: 'closed' }) =>
    said(kept(at, [message(1)]), { role: 'visitor', from: null, text: 'x', held: false, to: null, ...more }, LATER)
  t.match(write({}), {
    ticket: { status: 'open', updated_at: LATER, is_answered: false },
    said: { n: 2, role: 'visitor', text: 'x', created_at: LATER },
    dispatches: [],
    jobs: [],
    domainEvents: [{ type: 'ticket.updated' }]
  })
  t.notOk('origin' in write({}))
  t.strictSame(write({}).dispatches, [])
  t.match(write({ origin: 'o', to: 'business' }), { origin: 'o', dispatches: [{ key: 'tkt_1/2/business' }] })
  t.match(write({ role: 'agent' }).ticket, { status: 'closed', is_answered: true })
  t.match(write({ role: 'agent', held: true }).ticket, { status: 'closed', is_answered: true })
  t.match(write({ role: 'person', held: true }).ticket, { status: 'closed', is_answered: false })
  const full = (length: number) => () =>
    said(
      kept({}, Array.from({ length }, (_, n) => message(n + 1))),
      { role: 'person', from: null, text: 'x', held: false, to: null }, AT)
  t.equal(MOST_MESSAGES, 500)
  t.equal(full(499)().said!.n, 500)
  t.throws(full(500), { code: 'limit_reached', message: /takes 500 messages/ })
  t.end()
})

t.test('what was held for want of an address is sent once there is one, the last 20 of it', (t) => {
  t.equal(MOST_PASSED_ON, 20)
  const all = [
    message(1, { held: true }), message(2), message(3, { role: 'visitor', held: true }),
    ...Array.from({ length: 20 }, (_, n) => message(n + 4, { held: true }))
  ]
  const next = changed(kept({ status: 'sent' }, all), { requester: { email: ADA.email } }, LATER)
  t.strictSame(next.released, Array.from({ length: 20 }, (_, n) => n + 4))
  t.match(next, { ticket: { status: 'open', requester: { name: null, email: ADA.email }, updated_at: LATER } })
  t.match([next.dispatches[0], next.dispatches.length], [{ channel: MAIL, key: 'tkt_1/4/requester', payload: { type: 'ticket.message', to: 'requester' } }, 20])
  const some = (more: Partial<TicketRecord>, patch: object) =>
    changed(kept(more, [message(1, { held: true })]), patch, LATER)
  t.match(some({ status: 'sent' }, { requester: ADA }), { released: [1], ticket: { status: 'open' } })
  t.match(some({ status: 'closed' }, { requester: ADA }), { released: [1], ticket: { status: 'closed' } }, 'what is closed stays so')
  t.match(some({ status: 'sent' }, { requester: ADA, status: 'closed' }), { released: [1], ticket: { status: 'closed' } })
  t.match(some({ status: 'closed' }, { requester: ADA, status: 'open' }), { released: [1], ticket: { status: 'open' } })
  const known = some({ requester: ADA, status: 'sent' }, { requester: { name: 'Bo' } })
  t.match(known, { released: [], ticket: { status: 'sent', requester: { name: 'Bo', email: ADA.email } } })
  t.match(some({ status: 'sent' }, { requester: { name: 'Bo' } }), { released: [], ticket: { status: 'sent', requester: { name: 'Bo', email: null } } })
  t.match(changed(kept({ status: 'sent' }), { requester: ADA }, LATER).ticket.status, 'sent', 'where nothing was held')
  t.match(changed(kept({ requester: ADA }), { status: 'closed' }, LATER).ticket, { requester: ADA, status: 'closed' })
  t.end()
})

t.test('nobody can be written to by mail who has no address; what a person wrote and is held is unsent', (t) => {
  const without = (more: Partial<TicketRecord>) => isWithoutAddress(ticketWith(more))
  t.strictSame([without({}), without({ requester: ADA }), without({ provider: 3 }), without({ channel: 'Ours' })], [true, false, false, false])
  t.equal(without({ requester: { name: 'Ada', email: null } }), true)
  t.strictSame([
    isUnsent(message(1, { held: true })), isUnsent(message(1)), isUnsent(message(1, { role: 'visitor', held: true }))
  ], [true, false, false])
  t.end()
})

t.test('the address that a visitor says is taken, unless the business has given another', (t) => {
  const say = (ticket: Partial<TicketRecord>, email: string, before: string | null, messages: TicketMessage[] = []) =>
    addressed(kept(ticket, messages), email, before, LATER)
  t.match(say({}, ADA.email, null), { ticket: { requester: { email: ADA.email } }, released: [] })
  t.equal(say({ requester: ADA }, ADA.email, null), undefined, 'it is known')
  t.equal(say({ requester: ADA }, 'new@visitor.example', null), undefined, 'the business gave it')
  t.equal(say({ requester: ADA }, 'new@visitor.example', 'other@visitor.example'), undefined)
  t.match(say({ requester: ADA }, 'new@visitor.example', ADA.email), { ticket: { requester: { name: 'Ada', email: 'new@visitor.example' } } })
  t.notOk('said' in say({}, ADA.email, null)!, 'a mail goes to where they are')
  const full = Array.from({ length: MOST_MESSAGES }, (_, n) => message(n + 1))
  t.match(say({ provider: 3 }, ADA.email, null, full.slice(1)), {
    ticket: { requester: { email: ADA.email } },
    said: { n: 500, role: 'visitor', from: ADA.email, text: ADA.email, held: false },
    dispatches: [{ key: 'tkt_1/500/provider' }]
  })
  t.notOk('said' in say({ provider: 3 }, ADA.email, null, full)!, 'one message too many')
  t.end()
})

t.test('a system that has a ticket tells its status once', (t) => {
  const tell = (status: 'open' | 'closed', request?: string) =>
    told(kept({ status: 'open' }), { status, ...(request !== undefined && { request }) }, LATER)
  t.match(tell('closed'), { ticket: { status: 'closed' }, domainEvents: [{}] })
  t.notOk('request' in tell('closed')!)
  t.match(tell('closed', 'r'), { ticket: { status: 'closed' }, request: 'r' })
  t.equal(tell('open'), undefined)
  t.match(tell('open', 'r'), { ticket: { status: 'open', updated_at: AT }, request: 'r', domainEvents: [], dispatches: [], jobs: [] })
  t.end()
})

t.test('what arrived or was given up moves a ticket, where that says something new', (t) => {
  const error = { code: 'x', message: 'X' }
  const settle = (more: Partial<TicketRecord>, state: 'sent' | 'dead', n: number) =>
    settled(ticketWith(more), state === 'sent' ? { state } : { state, error }, n, LATER)
  t.match(settle({}, 'sent', 0), { ticket: { status: 'sent', error: null, updated_at: LATER }, dispatches: [], jobs: [], domainEvents: [{ type: 'ticket.updated' }] })
  t.match(settle({ status: 'failed', error }, 'sent', 0)!.ticket, { status: 'sent', error: null })
  t.match(settle({ status: 'closed', error }, 'sent', 0)!.ticket, { status: 'closed', error: null })
  t.equal(settle({ status: 'open' }, 'sent', 1), undefined)
  t.equal(settle({ status: 'pending' }, 'sent', 1), undefined)
  t.match(settle({ status: 'failed', error }, 'sent', 1)!.ticket, { status: 'open', error: null })
  t.equal(settle({ status: 'failed', error: { code: BOUNCED, message: '' } }, 'sent', 1), undefined, 'a bounce stays')
  t.equal(settle({ status: 'open', error: { code: 'other', message: '' } }, 'sent', 1), undefined)
  for (const n of [0, 1]) t.match(settle({ status: 'open' }, 'dead', n)!.ticket, { status: 'failed', error })
  t.end()
})

t.test('what is sent is named so that it is sent once, and an answer shows nothing of the account', (t) => {
  const ticket = ticketWith({ provider: 3 })
  t.match(dispatch(ticket, 'business', 2, HELD), { channel: MAIL, key: 'tkt_1/2/business', payload: { type: 'ticket.held', n: 2 } })
  t.match(dispatch(ticket, 'requester', 0), { payload: { type: 'ticket.create', to: 'requester' } })
  const { owner: _owner, provider: _provider, is_answered: _answered, ...rest } = ticket
  t.strictSame(shown({ ticket, messages: [message(1)] }), { ...rest, messages: [message(1)] })
  t.end()
})
