import t from 'tap'
import { serve } from '../sources/parts.ts'
import { mailServer } from '../tickets/helper.ts'
import { skip } from './redis.ts'
import { several, until } from './servers.ts'

const DRAFT = { name: 'Ada', systemPrompt: 'You help.' }
const SHOP = 'https://shop.example'

t.test('waits after wrong passwords are those of all servers, and the right one ends them at all', { skip }, async (t) => {
  const { ask, servers, redis } = await several(t)
  const email = 'ada@example.com'
  const token = servers[0]!.firstLink!.split(/[#=/]/).at(-1)
  const [password, wrong] = ['correct horse battery staple', 'wrong horse battery staple']
  t.match((await ask(0, 'POST', '/v1/links/use', { token, password, email })).status, /^20/)
  const sign = async (at: number, password: string) => {
    const { status, headers } = await ask(at, 'POST', '/v1/session', { email, password })
    return [status, headers.get('retry-after')]
  }
  // Was wrong: each server counted separately, so that three let through three times as many tries.
  const from = performance.now()
  const tries = await Promise.all(Array.from({ length: 12 }, (_, at) => sign(at, wrong)))
  // After five the waits are 1, 2, 4 … seconds, and the first ones are over before a slow machine has tried twelve.
  const waited = Math.floor(Math.log2((performance.now() - from) / 1000 + 1))
  const counted = tries.filter(([status]) => status === 401).length
  t.ok(counted >= 5 && counted <= 5 + waited, `${counted} were let through, and at most ${5 + waited} may be`)
  t.ok(tries.filter(([status]) => status === 429).every(([, after]) => Number(after) >= 1), 'the others are to wait')
  await until(async () => (await sign(0, wrong))[0] === 429 && (await sign(2, password))[0] === 429)
  await until(async () => (await sign(1, password))[0] === 201)
  t.equal((await sign(0, wrong))[0], 401, 'the right one ends them')
  await redis.kill()
  for (let i = 0; i < 5; i++) await sign(0, wrong)
  t.equal((await sign(0, wrong))[0], 429, 'each server counts alone while Redis is away')
})

t.test('with the seventh stream of a visitor the oldest one ends, at whichever server it is', { skip }, async (t) => {
  const { ask, servers } = await several(t)
  const { id } = (await ask(0, 'POST', '/v1/agents', DRAFT)).body.data
  const key = (await ask(0, 'POST', `/v1/agents/${id}/widget_keys`, { name: 'Shop', origins: [SHOP] })).body.data.id
  const { token } = (await ask(1, 'POST', '/v1/widget/session', { key }, { origin: SHOP, authorization: '' })).body.data
  const headers = { origin: SHOP, authorization: `Bearer ${token}` }
  const conversation = (await ask(2, 'POST', '/v1/widget/conversations', {}, headers)).body.data.id
  const cut = new AbortController()
  t.teardown(() => cut.abort())
  const open: boolean[] = []
  for (let at = 0; at < 8; at++) {
    const { body, status } = await fetch(
      `${servers[at % 3]!.address}/v1/widget/conversations/${conversation}/events`, { headers, signal: cut.signal }
    )
    t.equal(status, 200)
    open[at] = true
    const read = async () => { for await (const piece of body!) if (piece.length === 0) return }
    read().then(() => { open[at] = false }, () => {})
  }
  // Was wrong: six at each server.
  await until(() => open.filter(Boolean).length < 7)
  t.strictSame(open, [false, false, true, true, true, true, true, true])
})

t.test('mails of an account in a day are counted over all servers, also when one began anew', { skip }, async (t) => {
  const mail = await mailServer(t)
  const { ask, servers, start } = await several(t, {
    env: {
      AGENTHALL_SMTP_URL: mail.url,
      AGENTHALL_MAIL_FROM: 'Help <help@ours.example>',
      AGENTHALL_MAIL_LIMITS: '{"enterprise":4}'
    }
  })
  const { id } = (await ask(0, 'POST', '/v1/agents', { ...DRAFT, behavior: { email: 'support@business.example' } })).body.data
  const open = async (count: number) => {
    const made = await Promise.all(Array.from({ length: count }, (_, at) =>
      ask(at, 'POST', '/v1/tickets', { agent: id, subject: `No. ${at}` })))
    t.ok(made.every(({ status }) => status === 201))
  }
  const deliveries = async () => (await ask(0, 'GET', '/v1/deliveries?limit=100')).body.data as Array<
    { state: string, next_attempt_at: string | null }
  >
  // Was wrong: each server let through as many as one alone, and lost its counts when it ended.
  const isHeld = ({ next_attempt_at: next }: { next_attempt_at: string | null }) =>
    next !== null && Date.parse(next) - Date.now() > 60_000
  const settled = async (held: number) => await until(async () => (await deliveries()).filter(isHeld).length === held)
  await open(12)
  await settled(8)
  t.equal(mail.got.length, 4)
  await start()
  for (const one of servers.splice(0, 3)) await one.close()
  await open(6)
  await settled(14)
  t.equal(mail.got.length, 4)
  t.equal((await deliveries()).filter(({ state }) => state === 'waiting').length, 14, 'none is lost')
})

t.test('the desk is told of one visitor once in ten minutes, whichever server sends, and when it began', { skip }, async (t) => {
  const mail = await mailServer(t)
  const { ask, servers, start } = await several(t, {
    env: { AGENTHALL_SMTP_URL: mail.url, AGENTHALL_MAIL_FROM: 'Help <help@ours.example>' }
  })
  const behavior = { expertHandoff: true, email: 'support@business.example' }
  const { id } = (await ask(0, 'POST', '/v1/agents', { ...DRAFT, behavior })).body.data
  const visitorOf = async (name: string) => (await ask(1, 'POST', '/v1/visitors', { agent: id, name })).body.data.id as string
  const ada = await visitorOf('Ada')
  const handOff = async (at: number, visitor: string) => {
    const conversation = (await ask(at, 'POST', `/v1/agents/${id}/conversations`, { visitor })).body.data.id
    t.equal((await ask(at, 'POST', `/v1/conversations/${conversation}/handoff`, {})).status, 200)
  }
  const deliveries = async () => (await ask(0, 'GET', '/v1/deliveries?limit=100')).body.data as Array<
    { state: string, attempts: number, next_attempt_at: string | null }
  >
  const isHeld = ({ attempts, next_attempt_at: next }: { attempts: number, next_attempt_at: string | null }) =>
    attempts === 0 && next !== null && Date.parse(next) - Date.now() > 5 * 60_000
  const held = async (count: number) => await until(async () => (await deliveries()).filter(isHeld).length >= count)
  // Was wrong: each server told of each visitor, and again when it began anew.
  await Promise.all(Array.from({ length: 9 }, (_, at) => handOff(at, ada)))
  await held(8)
  t.equal(mail.got.length, 1)
  t.equal((await deliveries()).filter(isHeld).length, 8)
  await start()
  for (const one of servers.splice(0, 3)) await one.close()
  await handOff(0, ada)
  await held(9)
  t.equal(mail.got.length, 1)
  await handOff(0, await visitorOf('Bea'))
  await until(() => mail.got.length > 1)
  t.equal(mail.got.length, 2, 'another visitor is told of at once')
})

t.test('one site at a time is looked at for an account, at whichever server it is asked', { skip }, async (t) => {
  const { ask, redis } = await several(t, { env: { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1' } })
  const waiting: Array<() => void> = []
  const url = await serve(t, (_request, reply) => { waiting.push(() => reply.writeHead(503).end()) })
  const { id } = (await ask(0, 'POST', '/v1/agents', DRAFT)).body.data
  const answered: number[] = []
  const look = async (at: number) => {
    const { status } = await ask(at, 'POST', `/v1/agents/${id}/knowledge_sources/pages`, { url })
    answered.push(status)
    return status
  }
  /** Asks each server, and lets those who look go on when the others were refused. */
  async function looks (many: number) {
    answered.length = 0
    const all = Array.from({ length: 9 }, (_, at) => look(at))
    await until(() => answered.length >= 9 - many && waiting.length >= many)
    t.strictSame(answered, Array(9 - many).fill(409))
    let isOver = false
    const over = Promise.all(all).then((statuses) => {
      isOver = true
      return statuses.filter((status) => status !== 409)
    })
    await until(() => {
      for (const go of waiting.splice(0)) go()
      return isOver
    })
    return await over
  }
  // Was wrong: each server looked at one.
  t.strictSame(await looks(1), [400])
  t.strictSame(await looks(1), [400], 'the next one has its turn')
  await redis.kill()
  t.strictSame(await looks(3), [400, 400, 400], 'one at each server while Redis is away')
})
