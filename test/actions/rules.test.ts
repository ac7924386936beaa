import fc from 'fast-check'
import t from 'tap'
import { CALL_STATES, type ActionDraft, type CallState, type ParameterDraft } from '../../schema/actions.ts'
import { bind, schemaOf, shownArguments } from '../../src/actions/calls/bind.ts'
import { decideCall, decidedCall } from '../../src/actions/calls/decide.ts'
import { after, CALL_TABLE, SENT, type CallEvent } from '../../src/actions/calls/table.ts'
import { changedAction, decideAction } from '../../src/actions/definitions/decide.ts'
import { LONGEST_MATCHED, looksLike, patternFault } from '../../src/actions/definitions/pattern.ts'
import { at, MOST_SHOWN, picked } from '../../src/actions/sending/pick.ts'
import { nested, requestOf, shownRequest } from '../../src/actions/sending/request.ts'
import { longestTurn } from '../linear/turns.ts'

const EVENTS: CallEvent[] = [
  'ask', 'confirm', 'refuse', 'expire', 'begin', 'drop', 'succeed', 'fail', 'lose', 'find', 'miss'
]

t.test('whatever happens to a call in whatever order, it is sent at most once, and never after it was refused', async (t) => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
    let state: CallState = 'proposed'
    let sent = 0
    const seen: CallState[] = [state]
    for (const event of events) {
      const next = after(state, event)
      if (!next) continue
      if (next === 'running') sent++
      state = next
      seen.push(state)
    }
    const isEnded = seen.findIndex((one) => one === 'refused' || one === 'expired')
    return sent <= 1 && (isEnded === -1 || isEnded === seen.length - 1)
  }))
  for (const state of SENT) t.notOk(Object.values(CALL_TABLE[state]).includes('running'), `${state} is not sent again`)
  t.strictSame(Object.keys(CALL_TABLE).sort(), [...CALL_STATES].sort())
  t.strictSame(
    CALL_STATES.filter((state) => Object.keys(CALL_TABLE[state]).length === 0), ['refused', 'expired', 'done', 'failed']
  )
})

const DRAFT: ActionDraft = {
  connection: 1,
  name: 'cancel',
  title: 'Cancelling',
  effect: 'write',
  method: 'POST',
  path: '/orders/{number}/cancel',
  parameters: [{ name: 'number', in: 'path', type: 'string' }]
}
const faultsOf = (work: () => unknown): string[] => {
  try {
    work()
    return []
  } catch (error) {
    return (error as { details: Array<{ field: string }> }).details.map(({ field }) => field)
  }
}
const faults = (change: Partial<ActionDraft>, isMcp = false) =>
  faultsOf(() => decideAction({ ...DRAFT, ...change }, 0, isMcp))

t.test('a write that nobody confirms takes only what is listed or put in by code', async (t) => {
  const free: ParameterDraft = { name: 'number', in: 'path', type: 'string' }
  t.strictSame(faults({ confirm: 'nobody' }), ['confirm'])
  t.strictSame(faults({ confirm: 'nobody', parameters: [{ ...free, enum: ['1001'] }] }), [])
  t.strictSame(faults({ confirm: 'nobody', parameters: [{ ...free, from: 'visitor.external_id' }] }), [])
  t.strictSame(faults({ confirm: 'nobody', parameters: [{ ...free, from: 'constant', value: 'x' }] }), [])
  t.strictSame(faults({ effect: 'read', confirm: 'nobody' }), [])
  t.strictSame(faultsOf(() => changedAction(decideAction({ ...DRAFT, confirm: 'visitor' }, 0, false), { confirm: 'nobody' }, false)), ['confirm'], 'nor after it was made')
  fc.assert(fc.property(
    fc.array(fc.record({
      from: fc.constantFrom('model' as const, 'visitor.external_id' as const, 'conversation' as const), values: fc.array(fc.constantFrom('a', 'b'))
    }), { maxLength: 5 }),
    (parameters) => {
      const isRefused = faults({
        path: '/x',
        confirm: 'nobody',
        parameters: parameters.map(({ from, values }, i) => ({ name: `p${i}`, in: 'body', type: 'string', from, enum: values }))
      }).includes('confirm')
      return isRefused === parameters.some(({ from, values }) => from === 'model' && values.length === 0)
    }
  ))
})

t.test('an action that cannot be is refused by the field that is wrong', async (t) => {
  const with1 = (one: Partial<ParameterDraft>): Partial<ActionDraft> => ({ path: '/x', parameters: [{ name: 'a', in: 'query', type: 'string', ...one }] })
  const wrong: Array<[string[], Partial<ActionDraft>]> = [
    [['effect'], { effect: 'read', method: 'DELETE' }],
    [['path'], { path: '/orders/{other}/cancel', parameters: [] }],
    [['path'], { path: '/orders' }],
    [['path'], { path: '/orders/../{number}' }],
    [['path'], { path: '//{number}' }],
    [['path'], { path: '/%2e%2E/{number}' }],
    [['path'], { path: 'orders/{number}' }],
    [['parameters[0].required'], { parameters: [{ name: 'number', in: 'path', type: 'string', required: false }] }],
    [['parameters[0].name'], with1({ name: 'Authorization', in: 'header' })],
    [['parameters[0].name'], with1({ name: 'a.b', in: 'header' })],
    [['parameters[0].value'], with1({ from: 'constant' })],
    [['parameters[0].value'], with1({ value: 'x' })],
    [['parameters[0].pattern'], with1({ pattern: '(a+)+' })],
    [['parameters[0].enum'], with1({ type: 'integer', enum: ['1', 'x'] })],
    [['parameters[0].name'], with1({ name: '__proto__.x', in: 'body' })],
    [['parameters[1].name'], {
      path: '/x', parameters: [{ name: 'a', in: 'query', type: 'string' }, { name: 'a', in: 'body', type: 'string' }]
    }]
  ]
  for (const [fields, change] of wrong) t.strictSame(faults(change), fields, JSON.stringify(change))
  t.strictSame(faults({ path: 'a tool' }, true), ['path', 'parameters[0].in'])
  t.strictSame(faults({ path: 'get_order', parameters: [{ name: 'a', in: 'body', type: 'string' }] }, true), [])
  t.throws(() => decideAction(DRAFT, 200, false), { code: 'limit_reached' })
})

t.test('patterns are of letters, classes and counts, and no text makes them costly', async (t) => {
  for (const pattern of ['\\d{4}', '^[A-Z]{2}-\\d+$', '[^ ]{1,20}', 'a?b', '\\w+@\\w+', '']) t.equal(patternFault(pattern), undefined, pattern)
  for (const pattern of ['(a+)+', 'a|b', 'a**', '[z-a]', 'a+b+c+', '\\1', '(?=a)', '[', '*']) t.ok(patternFault(pattern), pattern)
  t.ok(looksLike('^\\d{4}$', '1001'))
  t.notOk(looksLike('\\d{4}', '10011'), 'the whole of it')
  t.notOk(looksLike('\\d+', '1'.repeat(LONGEST_MATCHED + 1)))
  t.ok(await longestTurn(20, async () => looksLike('a+a+b', 'a'.repeat(LONGEST_MATCHED))) <= 20)
})

const TRACK = {
  ...decideAction({
    ...DRAFT,
    effect: 'read',
    method: 'GET',
    path: '/orders/{number}',
    parameters: [
      { name: 'number', in: 'path', type: 'string', pattern: '\\d{4}', description: 'The number' },
      { name: 'count', in: 'query', type: 'integer', max: 10 },
      { name: 'isGift', in: 'query', type: 'boolean' },
      { name: 'kind', in: 'query', type: 'string', enum: ['a', 'b'] },
      { name: 'customer', in: 'query', type: 'string', from: 'visitor.external_id', required: true },
      { name: 'shop', in: 'header', type: 'string', from: 'constant', value: 'main' }
    ]
  }, 0, false),
  id: 7,
  version: 1,
  schema_digest: null
}
const ADA = { externalId: 'c-7', verifiedEmail: 'ada@example.com', conversation: 'conv_x' }

t.test('who the visitor is comes from code: no model is told of it, and none can say it', async (t) => {
  t.strictSame(Object.keys(schemaOf(TRACK).properties), ['number', 'count', 'isGift', 'kind'])
  t.match(schemaOf(TRACK), {
    required: ['number'], properties: { kind: { enum: ['a', 'b'] }, number: { maxLength: 200 } }, additionalProperties: false
  })
  t.strictSame(bind(TRACK, { number: '1001', count: '3', isGift: 'true' }, ADA).values, {
    number: '1001', count: 3, isGift: true, customer: 'c-7', shop: 'main'
  })
  t.strictSame(faultsOf(() => bind(TRACK, { number: '1001', customer: 'c-8' }, ADA)), ['arguments.customer'])
  t.throws(() => bind(TRACK, { number: '1001' }, { ...ADA, externalId: null }), { code: 'not_verified' })
  t.strictSame(shownArguments(TRACK, { number: '1001', customer: 'c-7' }), [
    { name: 'number', description: 'The number', value: '1001' }
  ], 'a card shows what was asked for')
})

// Was wrong: cards, forms and results of a call said `order_number` and `customer.email`, as the system does.
t.test('what nobody has described is called by its name in words', async (t) => {
  const names = ['order_number', 'customer.email', 'customerId', 'orderID', 'X-Reason', '$filter', 'größe', '_']
  const parameters = names.map((name) => ({ ...TRACK.parameters[0]!, name, description: '' }))
  t.strictSame(
    shownArguments({ parameters }, Object.fromEntries(names.map((name) => [name, 'x']))).map(({ description }) => description),
    ['Order number', 'Customer email', 'Customer id', 'Order ID', 'X Reason', 'Filter', 'Größe', '_']
  )
})

t.test('arguments that do not fit are refused by their names', async (t) => {
  const wrong: Array<[Record<string, string | number | boolean>, string]> = [
    [{}, 'number'], [{ number: '12' }, 'number'], [{ number: 1001 }, 'number'], [{ number: '1001', count: 11 }, 'count'],
    [{ number: '1001', count: 1.5 }, 'count'], [{ number: '1001', isGift: 'maybe' }, 'isGift'],
    [{ number: '1001', kind: 'c' }, 'kind'], [{ number: '1001', other: 'x' }, 'other']
  ]
  for (const [given, field] of wrong) t.strictSame(faultsOf(() => bind(TRACK, given, ADA)), [`arguments.${field}`])
  const text = { ...TRACK, parameters: [{ ...TRACK.parameters[0]!, pattern: '', max: 5 }] }
  t.strictSame(faultsOf(() => bind(text, { number: 'abcdef' }, ADA)), ['arguments.number'])
  t.strictSame(faultsOf(() => bind(text, { number: 'a\nb' }, ADA)), ['arguments.number'])
})

t.test('any change of what is to be done is another digest', async (t) => {
  const digest = (given: object, action = TRACK) => bind(action, { number: '1001', ...given }, ADA).digest
  t.equal(digest({}), digest({}))
  t.equal(new Set([digest({}), digest({ count: 1 }), digest({ number: '1002' }), digest({}, { ...TRACK, version: 2 })]).size, 4)
})

t.test('no value can leave its place in a request', async (t) => {
  const values = { number: '../../admin?x=1#', 'a.b': 'x', a: 'y' }
  const action = {
    ...TRACK,
    name: 'x',
    parameters: [
      TRACK.parameters[0]!,
      { ...TRACK.parameters[1]!, name: 'a', in: 'query' as const },
      { ...TRACK.parameters[1]!, name: 'X-A', in: 'header' as const }
    ]
  }
  const of = (values: Record<string, string>) =>
    requestOf({ connection: { base_url: 'https://shop.example/api' }, action, values, key: 'call_x' })
  t.equal(of(values).url, 'https://shop.example/api/orders/..%2F..%2Fadmin%3Fx%3D1%23?a=y')
  fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }), (number, a) => {
    const { url, headers } = of({ number, a, 'X-A': a })
    const read = new URL(url)
    return read.host === 'shop.example' && read.pathname.split('/').length === 4 &&
      read.pathname.startsWith('/api/orders/') && [...read.searchParams.keys()].join() === 'a' && /^[\x20-\x7e]*$/.test(headers['x-a']!)
  }))
  t.strictSame(JSON.parse(JSON.stringify(nested([['customer.email', 'a'], ['customer.name', 'b'], ['x', 1]]))), {
    customer: { email: 'a', name: 'b' }, x: 1
  })
})

t.test('a request that is shown has dots for its secret, and a write its key', async (t) => {
  const write = { ...TRACK, name: 'x', effect: 'write' as const, method: 'POST' as const }
  const request = requestOf({ connection: { base_url: 'https://a' }, action: write, values: { number: '1' }, key: 'call_1' })
  t.equal(request.headers['idempotency-key'], 'call_1')
  const shown = (auth: 'none' | 'basic' | 'bearer' | 'header', name: string | null) => shownRequest(request, { auth, auth_name: name }).headers
  t.equal(shown('bearer', null)['authorization'], 'Bearer ••••')
  t.equal(shown('basic', 'ada')['authorization'], 'Basic ••••')
  t.equal(shown('header', 'X-Key')['x-key'], '••••')
  t.notOk('authorization' in shown('none', null))
})

t.test('of an answer what its pointers name is used, and no more than can be shown', async (t) => {
  const body = JSON.stringify({ status: 'on its way', items: [{ name: 'Lamp' }], 'a/b': 1, secret: 'x' })
  t.equal(picked(['/status', '/items/0/name', '/a~1b', '/missing', '/constructor'], 'application/json', body),
    '{"/status":"on its way","/items/0/name":"Lamp","/a~1b":1}')
  t.equal(picked([], 'application/problem+json', '{"a":1}'), '{"a":1}')
  t.equal(picked([], 'application/json', ''), 'null')
  t.equal(picked([], 'application/json', '<html>'), undefined)
  // Was wrong: an error page was shown in full, though only the status was meant to be.
  t.equal(picked(['/x'], 'text/html', '<h1>as it is</h1>'), undefined)
  t.equal(picked([], 'text/plain', 'as it is'), 'as it is')
  t.equal(picked([], 'text/plain', 'x'.repeat(MOST_SHOWN * 2))!.length, MOST_SHOWN)
  t.strictSame([at({ a: 1 }, ''), at({ x: [0, { a: 1 }] }, '/x/1'), at('text', '/x')], [{ a: 1 }, { a: 1 }, undefined])
})

t.test('a call is decided by who speaks, by what was shown, and in time', async (t) => {
  const standing = { epoch: 3, handled_by: 'agent', status: 'open' }
  const action = {
    enabled: true,
    effect: 'write' as const,
    confirm: 'visitor' as const,
    needs_verified: false,
    limits: { timeout_ms: 1000, per_conversation: 2, per_day: 5 }
  }
  const none = { ofMessage: [], inConversation: 0, today: 0 }
  const of = (change: Partial<typeof action> = {}, more: Partial<Parameters<typeof decideCall>[1]> = {}) =>
    decideCall({ ...action, ...change }, { standing, epoch: 3, isVerified: false, before: none, ...more })
  t.equal(of(), 'asked')
  t.throws(() => of({ enabled: false }), { code: 'action_off' })
  t.throws(() => of({ needs_verified: true }), { code: 'not_verified' })
  t.equal(of({ needs_verified: true }, { isVerified: true }), 'asked')
  for (const change of [{ epoch: 4 }, { handled_by: 'person' }, { handled_by: 'queue' }, { status: 'closed' }]) {
    t.throws(() => of({}, { standing: { ...standing, ...change } }), { code: 'taken_over' })
  }
  for (const before of [
    { ...none, inConversation: 2 }, { ...none, today: 5 },
    { ...none, ofMessage: [{ effect: 'write' as const, digest: 'x', state: 'done' as const }] }
  ]) t.throws(() => of({}, { before }), { code: 'limit_reached' })

  const call = { state: 'asked' as CallState, digest: 'd', confirm: 'visitor' as 'visitor' | 'person', expires_at: '2', epoch: 3 }
  const decide = (change: Partial<typeof call>, more: Partial<Parameters<typeof decidedCall>[1]> = {}) =>
    decidedCall({ ...call, ...change }, { event: 'confirm', digest: 'd', isPerson: false, standing, at: '1', ...more })
  t.equal(decide({}), 'confirmed')
  t.equal(decide({}, { event: 'refuse' }), 'refused')
  t.throws(() => decide({ confirm: 'person' }), { code: 'permission_denied' })
  t.equal(decide({ confirm: 'person' }, { isPerson: true }), 'confirmed')
  t.throws(() => decide({}, { digest: 'other' }), { code: 'call_changed' })
  t.throws(() => decide({}, { at: '2' }), { code: 'call_settled' })
  t.throws(() => decide({}, { standing: { ...standing, epoch: 4 } }), { code: 'taken_over' })
  for (const state of CALL_STATES.filter((one) => one !== 'asked')) t.throws(() => decide({ state }), { code: 'call_settled' })
})
