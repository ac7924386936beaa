import fc from 'fast-check'
import t from 'tap'
import { LIVE_CHECKS, LIVE_FINDINGS } from '../../schema/going-live.ts'
import type { LiveFacts } from '../../src/going-live/contract.ts'
import { isReachable, judge } from '../../src/going-live/rules.ts'
import { liveChecks } from '../../src/going-live/words.ts'

const READY: LiveFacts = {
  address: 'https://chat.lamps.shop',
  addressAnswers: true,
  hasProxy: true,
  strangeProxy: null,
  mail: { hasServer: true, takes: true, from: 'help@lamps.shop', hasMailbox: true, opens: true },
  models: { used: ['small'], unknown: [], isAny: true, fault: null, dailyTokens: 1000 },
  agents: [{ id: 1, name: 'Ada', sources: 3, days: 30, isTelling: true }],
  business: 'Lamps & Co.',
  people: ['Anna', 'Bruno'],
  hasHours: true,
  backup: { isScheduled: true, newest: 1_767_225_600_000, isYoung: true, place: 'elsewhere' },
  keyFault: null,
  keyCopied: '2026-01-01T00:00:00.000000Z',
  version: '0.5.0'
}
const mail = (change: Partial<LiveFacts['mail']>) => ({ mail: { ...READY.mail, ...change } })
const models = (change: Partial<LiveFacts['models']>) => ({ models: { ...READY.models, ...change } })
const agent = (change: Partial<LiveFacts['agents'][0]>) => ({ agents: [{ ...READY.agents[0]!, ...change }] })
const backup = (change: Partial<LiveFacts['backup']>) => ({ backup: { ...READY.backup, ...change } })

/** Each finding, and what causes it where all else is in order. */
const CASES: Array<[finding: string, change: Partial<LiveFacts>]> = [
  ['address_unset', { address: '' }],
  ['address_private', { address: 'http://192.168.1.5:8080' }],
  ['address_private', { address: 'http://localhost:8080' }],
  ['address_private', { address: 'https://shop.internal' }],
  ['address_silent', { addressAnswers: 'It took too long to answer.' }],
  ['https_unset', { address: '' }],
  ['https_missing', { address: 'http://chat.lamps.shop' }],
  ['proxy_unset', { hasProxy: false }],
  ['proxy_other', { strangeProxy: '10.0.0.9' }],
  ['mail_out_unset', mail({ hasServer: false, takes: null })],
  ['mail_out_refused', mail({ takes: 'The mail server answered 535.' })],
  ['mail_in_unset', mail({ hasMailbox: false, opens: null })],
  ['mail_in_refused', mail({ opens: 'No.' })],
  ['mail_from_unset', mail({ from: '' })],
  ['mail_from_example', mail({ from: 'help@example.com' })],
  ['mail_from_example', mail({ from: 'help@lamps.example' })],
  ['model_none', models({ isAny: false, used: [], unknown: ['small'] })],
  ['model_unknown', models({ unknown: ['large'] })],
  ['model_silent', models({ fault: 'The key is refused.' })],
  ['model_unlimited', models({ dailyTokens: 0 })],
  ['agent_none', { agents: [] }],
  ['knowledge_none', agent({ sources: 0 })],
  ['business_unnamed', { business: '' }],
  ['duty_nobody', { people: [] }],
  ['duty_always', { hasHours: false }],
  ['backup_unset', backup({ isScheduled: false, newest: null, isYoung: false })],
  ['backup_late', backup({ newest: null, isYoung: false })],
  ['backup_late', backup({ isYoung: false })],
  ['backup_beside', backup({ place: 'beside' })],
  ['key_wrong', { keyFault: 'It is missing.' }],
  ['key_uncopied', { keyCopied: null }],
  ['retention_unset', agent({ days: null })],
  ['notice_unset', agent({ isTelling: false })]
]

const IN_POSTGRES = { ...READY, ...backup({ isScheduled: false, newest: null, isYoung: false, place: 'postgres' }) }

t.test('backups of PostgreSQL are left to its own tools', async (t) => {
  t.match(liveChecks(IN_POSTGRES).find(({ check }) => check === 'backup'), { ok: true, step: null, message: /PostgreSQL, whose own tools/ })
})

t.test('each thing that stops an account from going live is found, and has one next step', async (t) => {
  for (const [finding, change] of CASES) {
    const found = liveChecks({ ...READY, ...change }).filter((one) => one.finding === finding)
    t.ok(found.length > 0, finding)
    for (const { step, message, ok } of found) {
      t.ok(step, `${finding}: a step`)
      t.equal(ok, finding === 'model_none', 'without a model agents quote, which is an answer too')
      t.notMatch(message + step, /[{}]|undefined|null/)
    }
  }
})

t.test('where all is as it should be nothing is left, and every finding can come about', async (t) => {
  const checks = liveChecks(READY)
  t.strictSame(checks.map(({ check }) => check), LIVE_CHECKS)
  t.strictSame(checks.filter(({ ok, step }) => !ok || step !== null), [])
  const found = [...checks, ...liveChecks(IN_POSTGRES)].map(({ finding }) => finding)
  const all = new Set([...CASES.map(([finding]) => finding), ...found])
  t.strictSame([...all].sort(), [...LIVE_FINDINGS].sort())
  t.equal(judge({ ...READY, ...models({ dailyTokens: null }) }).find(({ check }) => check === 'model')!.values['tokens'], undefined)
})

t.test('whatever is true, each check is there once and says either that it is so or what to do', async () => {
  const text = fc.constantFrom('', 'https://a.shop', 'http://a.shop', 'https://10.0.0.1', 'x', '::', 'http://[::1]')
  const answers = fc.constantFrom(true as const, 'No.', null)
  fc.assert(fc.property(fc.record({
    address: text,
    addressAnswers: answers,
    hasProxy: fc.boolean(),
    strangeProxy: fc.option(fc.ipV4()),
    mail: fc.record({ hasServer: fc.boolean(), takes: answers, from: text, hasMailbox: fc.boolean(), opens: answers }),
    models: fc.record({
      used: fc.array(fc.string()),
      unknown: fc.array(fc.string()),
      isAny: fc.boolean(),
      fault: fc.option(fc.string({ minLength: 1 })),
      dailyTokens: fc.option(fc.nat())
    }),
    agents: fc.array(fc.record({
      id: fc.nat(), name: fc.string(), sources: fc.nat(2), days: fc.option(fc.nat()), isTelling: fc.boolean()
    })),
    business: fc.string(),
    people: fc.array(fc.string()),
    hasHours: fc.boolean(),
    backup: fc.record({
      isScheduled: fc.boolean(),
      newest: fc.option(fc.nat()),
      isYoung: fc.boolean(),
      place: fc.constantFrom('beside' as const, 'elsewhere' as const, 'postgres' as const)
    }),
    keyFault: fc.option(fc.string({ minLength: 1 })),
    keyCopied: fc.option(fc.string()),
    version: fc.string()
  }), (facts) => {
    const checks = liveChecks(facts)
    return checks.length === LIVE_CHECKS.length && checks.every(({ ok, step, message }) => (ok || step) && message)
  }))
})

t.test('addresses of one\'s own network are no public ones', async (t) => {
  for (const [address, is] of [
    ['https://chat.shop.example', true], ['https://93.184.216.34', true], ['https://127.0.0.1', false], ['', false],
    ['https://[fd00::1]', false], ['https://box.lan', false], ['https://shop', false], ['nothing', false],
    ['https://localhost.', false]
  ] as const) t.equal(isReachable(address), is, address)
})
