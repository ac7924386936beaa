import t from 'tap'
import type { AgentRecord } from '../../schema/agents.ts'
import type { TicketMessage } from '../../schema/tickets.ts'
import type { Job } from '../../src/platform/work/jobs.ts'
import { autoReply, type AutoReplyNeeds } from '../../src/tickets/auto-reply.ts'
import { addressed, opened, said, type Kept } from '../../src/tickets/life.ts'
import { taken } from '../../src/tickets/mail/taken.ts'
import { fixedClock } from '../helper.ts'

// Every guard of this test was seen to fail by removing it from src/tickets/auto-reply.ts.

const VISITOR = 'ada@visitor.example'
const AT = '2026-01-01T00:00:00.000Z'
const QUESTION = 'Are returns accepted abroad?'
const RETURNS = { title: 'Returns', heading: null, text: 'Returns are accepted within 30 days.', language: 'en' }
const ADA = {
  id: 7, owner: 1, status: 'Active', appearance: { chatbotName: 'Ada' }, behavior: { autoTicketReply: true }
} as unknown as AgentRecord

type Answer = Awaited<ReturnType<AutoReplyNeeds['aside']>['answer']>
const ANSWER = {
  status: 'complete', text: 'Within 30 days [1]. Free of charge[12].', citations: [{}]
} as unknown as Answer

/** A ticket's and its agent's properties, where they differ from one whose mail is answered. */
interface Case {
  agent?: Partial<AgentRecord> | null
  email?: string | null
  text?: string
  isAnswered?: boolean
  found?: object[]
  answer?: Partial<Answer>
  /** Happens to the ticket while the answer is written. */
  meanwhile?: (kept: Kept) => Kept
  isNoted?: boolean
}

/** Answers the one mail of a ticket; returns what was written to the ticket, and how much was requested for it. */
async function answered ({
  agent = {}, email = 'ada@visitor.example', text = QUESTION, isAnswered = false, found = [RETURNS], answer = {},
  meanwhile = (kept) => kept, isNoted = false
}: Case = {}) {
  const clock = fixedClock()
  const { ticket } = opened(
    { agent: { ...ADA, name: 'Ada' }, requester: { name: 'Ada', ...(email && { email }) } },
    { kind: 'mail' },
    { id: 'tkt_1', at: AT }
  )
  const mail: TicketMessage = { n: 1, role: 'visitor', from: email, text, held: false, created_at: AT }
  let kept: Kept = { ticket: { ...ticket, is_answered: isAnswered }, messages: [mail] }
  const counts = { most: 0, answers: 0, notes: [] as string[] }
  const written: ReturnType<typeof said>[] = []
  const store = {
    get: async () => kept,
    noteAutomatic: async (address: string) => {
      counts.notes.push(address)
      return !isNoted
    },
    change: async (_owner: number, _id: string, decide: (kept: Kept) => ReturnType<typeof said> | undefined) => {
      const decision = decide(kept)
      if (decision) written.push(decision)
    }
  } as unknown as AutoReplyNeeds['store']
  const { run } = autoReply({
    store,
    agentOf: async () => agent === null ? undefined : { ...ADA, ...agent },
    search: (async (_owner: number, _agent: number, _question: string, most: number) => {
      counts.most = most
      return found
    }) as unknown as AutoReplyNeeds['search'],
    aside: () => {
      counts.answers++
      kept = meanwhile(kept)
      return { topic: '', now: () => ({ text: '', ended: undefined }), answer: Promise.resolve({ ...ANSWER, ...answer }) }
    },
    weigh: async (_agent, _language, words) => new Map([...words].map((word) => [word, 1])),
    clock
  })
  const payload = { owner: 1, ticket: 'tkt_1', n: 1 }
  const result = await run({ payload } as Job, new AbortController().signal, async (work) => await work())
  return { written, result, ...counts }
}

t.test('a mail that the sources cover is answered in the name of the agent, without marks of sources', async (t) => {
  const { written, notes, result, most } = await answered()
  t.strictSame([result, most], [{ done: true }, 8])
  t.match(written, [{
    ticket: { status: 'pending', is_answered: true },
    said: { n: 2, role: 'agent', from: 'Ada', text: 'Within 30 days. Free of charge.', held: false },
    dispatches: [{ about: 'tickets/tkt_1', payload: { to: 'requester', n: 2 } }]
  }])
  t.strictSame(notes, ['ada@visitor.example'])
})

const UNASKED: Array<[why: string, change: Case]> = [
  ['its agent is gone', { agent: null }],
  ['its agent is switched off', { agent: { status: 'Inactive' } }],
  ['answers were switched off since', { agent: { behavior: { ...ADA.behavior, autoTicketReply: false } } }],
  ['it was answered before', { isAnswered: true }],
  ['it says nothing', { text: '' }],
  ['there is nobody to write to', { email: null }],
  ['no passage is about half of the question', { found: [{ ...RETURNS, title: '', text: 'Shipping goes abroad.' }] }],
  ['nothing is found', { found: [] }]
]
for (const [why, change] of UNASKED) {
  t.test(`a mail to which no model is asked, and nothing written: ${why}`, async (t) => {
    const { written, answers, notes, result } = await answered(change)
    t.strictSame([written, answers, notes, result], [[], 0, [], { done: true }])
  })
}

t.test('half of a question is enough, wherever in the passage its words stand', async (t) => {
  const question = { text: 'returns abroad' }
  const passages = [
    { ...RETURNS, title: 'Returns', text: 'x' },
    { ...RETURNS, title: 'x', heading: 'Returns', text: 'x' },
    { ...RETURNS, title: 'x', text: 'Returns' }
  ]
  for (const passage of passages) {
    const other = { ...RETURNS, title: 'x', text: 'Nothing of the kind.' }
    t.equal((await answered({ ...question, found: [other, passage] })).written.length, 1, JSON.stringify(passage))
  }
})

const UNTOLD: Array<[why: string, change: Case]> = [
  ['it names no source', { answer: { citations: [] } }],
  ['it was cut off', { answer: { status: 'failed' } }]
]
for (const [why, change] of UNTOLD) {
  t.test(`an answer that is not sent, and uses up no mail of the day: ${why}`, async (t) => {
    const { written, answers, notes, result } = await answered(change)
    t.strictSame([written, answers, notes, result], [[], 1, [], { done: true }])
  })
}

t.test('an answer is not sent to whom an automatic mail went today', async (t) => {
  const { written, notes, result } = await answered({ isNoted: true })
  t.strictSame([written, notes.length, result], [[], 1, { done: true }])
})

// Was wrong: whether an answer is asked for at all was seen by nothing, as the answering asks once more.
t.test('an answer is asked for where the agent may give one and nobody has', async (t) => {
  const { ticket } = opened(
    { agent: { ...ADA, name: 'Ada' }, requester: { name: 'Ada', email: VISITOR } },
    { kind: 'mail' },
    { id: 'tkt_1', at: AT }
  )
  const jobsOf = ({ isAllowed = true, isAnswered = false, from = VISITOR, side = 'requester' as const }) =>
    taken(
      { ticket: { ...ticket, is_answered: isAnswered }, messages: [] },
      { kind: 'message', ticket: 'tkt_1', side, from, text: QUESTION },
      {
        agent: { ...ADA, behavior: { email: null, guardRules: [], autoTicketReply: isAllowed } } as never,
        isMember: false,
        origin: '<1@visitor.example>',
        at: AT
      }
    ).jobs ?? []
  t.match(jobsOf({}), [{ kind: 'ticket.answer', payload: { ticket: 'tkt_1', n: 1 } }])
  t.strictSame(jobsOf({ isAllowed: false }), [])
  t.strictSame(jobsOf({ isAnswered: true }), [])
  t.strictSame(jobsOf({ from: 'eve@elsewhere.example' }), [], 'somebody else writes')
})

t.test('an answer that was given while this one was written stays the only one', async (t) => {
  const { written, answers } = await answered({
    meanwhile: (kept) => ({ ...kept, ticket: { ...kept.ticket, is_answered: true } })
  })
  t.strictSame([written, answers], [[], 1])
})

t.test('an address that a visitor says is a comment to the provider too, unless the business gave another', (t) => {
  const { ticket } = opened(
    { agent: { ...ADA, name: 'Ada' }, requester: { name: 'Ada' } }, { kind: 'mail' }, { id: 'tkt_1', at: AT }
  )
  const kept: Kept = { ticket: { ...ticket, provider: 1 }, messages: [] }
  t.match(addressed(kept, 'ada@visitor.example', null, AT), {
    ticket: { requester: { email: 'ada@visitor.example' } }, said: { role: 'visitor', text: 'ada@visitor.example' }
  })
  const given = { ...kept, ticket: { ...kept.ticket, requester: { name: 'Ada', email: 'desk@shop.example' } } }
  t.equal(addressed(given, 'ada@visitor.example', null, AT), undefined)
  t.end()
})
