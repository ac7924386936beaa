import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { alone } from '../../src/platform/neighbours/alone.ts'
import type { Neighbours } from '../../src/platform/neighbours/contract.ts'
import { redisNeighbours } from '../../src/platform/neighbours/redis.ts'
import { sealedWith } from '../../src/platform/neighbours/sealed.ts'
import { together } from '../../src/platform/neighbours/together.ts'
import { fingerprintOfKeyIn, vaultIn } from '../../src/platform/storage/vault.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { fixedClock } from '../helper.ts'
import { redisServer, withoutRedis as skip } from './redis.ts'
import { inMemory } from './in-memory.ts'
import { until } from './servers.ts'

/** Seals with the key of a directory, which is created if missing. */
const sealingIn = (directory: string) =>
  sealedWith(vaultIn(directory, { read: () => fingerprintOfKeyIn(directory), write () {} }))

/** Processes of one installation that have heard of each other. */
async function processes (t: Test, count = 3) {
  const redis = await redisServer(t)
  const away: number[] = []
  const home = t.testdir({})
  const join = (at: number, installation = 'one', sealing = sealingIn(home)) => {
    const one = redisNeighbours({
      address: redis.address,
      installation,
      sealing,
      clock: systemClock(),
      onAway: () => { away[at] = (away[at] ?? 0) + 1 }
    })
    t.teardown(() => one.close())
    return one
  }
  const all = Array.from({ length: count }, (_, at) => join(at))
  await Promise.all(all.map(reached))
  return { redis, all, join, away }
}

/** Resolves when a process receives its own messages and those of others. */
async function reached (one: Neighbours) {
  let isUp = false
  one.onReach((now) => { isUp = now })
  await until(() => isUp)
}

t.test('what is told is heard by all others of the same installation, once, and not by oneself', { skip }, async (t) => {
  const { all, join } = await processes(t)
  const other = join(3, 'another')
  await reached(other)
  const heard: string[] = []
  for (const [at, one] of [...all, other].entries()) one.hear('topic', (said) => heard.push(`${at} ${JSON.stringify(said)}`))
  const stop = all[2]!.hear('topic', () => t.fail('heard after it was stopped'))
  stop()
  all[0]!.tell('topic', { a: 1 })
  all[0]!.tell('topic', { a: 1 })
  all[0]!.tell('topic')
  await until(() => heard.length >= 4)
  t.strictSame(heard.sort(), ['1 null', '1 {"a":1}', '2 null', '2 {"a":1}'])
})

// Was wrong: texts of answers, what visitors typed and their addresses were in Redis in plain text.
t.test('whoever reads Redis reads nothing of what passes through it, and whoever writes there is not heard', { skip }, async (t) => {
  const { redis, all, join } = await processes(t)
  const [client, ears] = [new Redis(redis.address), new Redis(redis.address)]
  t.teardown(() => { for (const one of [client, ears]) one.disconnect() })
  const carried: string[] = []
  await ears.psubscribe('*')
  ears.on('pmessage', (_pattern, channel, text) => carried.push(channel, text))
  const heard: unknown[] = []
  all[1]!.hear('topic', (said) => heard.push(said))
  all[0]!.tell('topic', 'Salamander')
  await all[0]!.put('Salamander', 'Salamander', 60_000)
  await all[0]!.window({ name: 'w', most: 10 }).take('Salamander', 10)
  all[0]!.write('Salamander', 'Salamander').add('Salamander')
  await until(async () => ((await all[1]!.shown('Salamander'))?.added.length ?? 0) > 0 && heard.length > 0)
  t.match(await all[1]!.shown('Salamander'), { head: 'Salamander', added: ['Salamander'] })
  const keys = await client.keys('*')
  t.ok(keys.length >= 4, keys.join())
  for (const key of keys) carried.push(key, JSON.stringify(await (key.includes(':window:') ? client.lrange(key, 0, -1) : client.get(key))))
  t.ok(carried.length > 8)
  t.strictSame(carried.filter((text) => text.includes('Salamander') || Buffer.from(text, 'base64').includes('Salamander')), [])

  const stranger = join(3, 'one', sealingIn(t.testdir({ other: {} }) + '/other'))
  stranger.tell('topic', 'said by somebody with another key')
  await client.publish('agenthall:one:told', JSON.stringify({ from: 'x', told: [['topic', 'said in the clear']] }))
  for (const key of keys.filter((name) => name.includes(':put:'))) await client.set(key, 'x')
  all[0]!.tell('topic', 'the last')
  await until(() => heard.includes('the last'))
  t.strictSame(heard, ['Salamander', 'the last'])
  t.equal(await all[1]!.take('Salamander'), undefined)
})

t.test('a window lets through its limit over all processes, and says when there is room again', { skip }, async (t) => {
  const { all } = await processes(t)
  const windows = all.map((one) => one.window({ name: 'w', most: 10, windowMs: 400 }))
  const take = async (times: number) => (await Promise.all(Array.from({ length: times }, async (_, at) =>
    await windows[at % 3]!.take('a', 10)))).filter(({ allowed }) => allowed).length
  t.equal(await take(30), 10)
  t.equal(await windows[0]!.used('a'), 10)
  const { allowed, used, freesMs } = await windows[1]!.take('a', 10)
  t.strictSame([allowed, used], [false, 10])
  t.ok(freesMs > 0 && freesMs <= 400, String(freesMs))
  t.equal(await windows[2]!.used('b'), 0, 'another name')
  await until(async () => await windows[0]!.used('a') === 0)
  t.equal(await take(12), 10)
})

t.test('while Redis is away each process counts its share, and forgets what it remembers', { skip }, async (t) => {
  const { redis, all, away } = await processes(t)
  const windows = all.map((one) => one.window({ name: 'w', most: 10 }))
  await until(async () => (await windows[0]!.take('warm', 9)).allowed)
  await redis.kill()
  const before = [...away]
  await until(() => all.every((_, at) => (away[at] ?? 0) > (before[at] ?? 0) + 2))
  t.ok(away.every((times, at) => times > (before[at] ?? 0)), 'again and again')
  const through = (await Promise.all(Array.from({ length: 30 }, async (_, at) => await windows[at % 3]!.take('a', 9))))
    .filter(({ allowed }) => allowed)
  t.equal(through.length, 9, 'three each')
  t.equal(await windows[0]!.used('a'), 3)
  await all[0]!.put('name', 1, 1000)
  t.equal(await all[1]!.take('name'), undefined)
  t.equal(await all[1]!.shown('name'), undefined)
  await redis.restart()
  const first = all[0]!.window({ name: 'back', most: 10 })
  const known = async (at: number) => await all[at]!.window({ name: 'back', most: 10 }).used('b') > 0
  await until(async () => {
    await first.take('b', 1000)
    return await known(1) && await known(2)
  })
  t.ok(await known(2), 'counted together again')
})

for (const kind of ['alone', 'redis'] as const) {
  t.test(`a name that is held by one is free again when it lets go, or when its time is over (${kind})`, {
    skip: kind === 'redis' && skip
  }, async (t) => {
    const all = kind === 'redis' ? (await processes(t)).all : [alone(systemClock())]
    const hold = (at: number, name = 'site', forMs = 60_000) => all[at % all.length]!.hold(name, forMs)
    const first = (await Promise.all(Array.from({ length: 9 }, (_, at) => hold(at)))).filter((one) => one !== undefined)
    t.equal(first.length, 1)
    t.ok(await hold(1, 'another'))
    await first[0]!()
    const second = await hold(2)
    t.ok(second)
    await first[0]!()
    t.equal(await hold(0), undefined, 'nobody lets go of what another has')
    await second!()
    t.ok(await hold(0, 'site', 30))
    let third
    await until(async () => (third = await hold(1)) !== undefined)
    t.ok(third, 'its time is over')
  })
}

t.test('while Redis is away one in each process holds a name, and goes on to when it is back', { skip }, async (t) => {
  const { redis, all } = await processes(t)
  const [one] = all as [Neighbours]
  const letGo = await one.hold('site', 60_000)
  t.ok(letGo)
  await redis.kill()
  const held = async () => (await Promise.all(all.map((each) => each.hold('site', 60_000)))).map((each) => each !== undefined)
  t.strictSame(await held(), [false, true, true])
  t.strictSame(await held(), [false, false, false])
  const back = reached(one)
  await redis.restart()
  await back
  t.equal(await one.hold('site', 60_000), undefined)
  await letGo!()
  t.ok(await one.hold('site', 60_000))
})

t.test('what is put is taken once, by whichever process, in its time', { skip }, async (t) => {
  const { all } = await processes(t)
  await all[0]!.put('challenge', { user: 7 }, 5000)
  const taken = await Promise.all(all.map(async (one) => await one.take('challenge')))
  t.strictSame(taken.filter(Boolean), [{ user: 7 }])
  await all[0]!.put('short', 1, 30)
  await until(async () => await all[1]!.take('gone') === undefined)
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal(await all[1]!.take('short'), undefined)
})

t.test('what one process writes is seen by the others as it grows, until it ends or another begins there', { skip }, async (t) => {
  const { all } = await processes(t, 2)
  const [one, other] = all as [Neighbours, Neighbours]
  t.equal(await other.shown('x'), undefined)
  const writing = one.write('x', { id: 1 })
  writing.add('Grüße\n')
  writing.add('😀')
  await until(async () => (await other.shown('x'))?.added.length === 2)
  t.match(await other.shown('x'), { head: { id: 1 }, added: ['Grüße\n', '😀'] })
  writing.add('more')
  await until(async () => (await other.shown('x'))?.added.length === 3)
  const { called } = (await other.shown('x'))!
  const anew = other.write('x', { id: 2 })
  await until(async () => (await one.shown('x'))?.called !== called)
  writing.add('of nobody')
  writing.end()
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.match(await one.shown('x'), { head: { id: 2 }, added: [] }, 'the end of the first does not end the second')
  anew.end()
  anew.add('late')
  await until(async () => await one.shown('x') === undefined)
  t.equal(await one.shown('x'), undefined)
})

t.test('what is begun while Redis is away is shown when it is back', { skip }, async (t) => {
  // Was wrong: an answer that was begun in such a moment was shown to nobody until it was complete.
  const { redis, all } = await processes(t, 2)
  const [one, other] = all as [Neighbours, Neighbours]
  await redis.kill()
  const writing = one.write('x', { id: 1 })
  writing.add('a')
  await new Promise((resolve) => setTimeout(resolve, 700))
  await redis.restart()
  await until(async () => (await other.shown('x'))?.added.length === 1)
  t.match(await other.shown('x'), { head: { id: 1 }, added: ['a'] })
  writing.add('b')
  await until(async () => (await other.shown('x'))?.added.length === 2)
  t.match(await other.shown('x'), { added: ['a', 'b'] })
  const emptied = new Redis(redis.address)
  await emptied.flushall()
  emptied.disconnect()
  writing.add('c')
  await until(async () => (await other.shown('x'))?.added.length === 3)
  t.match(await other.shown('x'), { added: ['a', 'b', 'c'] }, 'nor is it lost where Redis was emptied')
  writing.end()
})

t.test('what is so in one process is known in the others, until it is not or nobody says so any more', async (t) => {
  const { join, beat } = inMemory()
  const clock = fixedClock()
  const changes: string[] = []
  const [first, second] = [join(1), join(2)]
  const [here, there] = [
    together(first, 'there', { clock }), together(second, 'there', { clock, onChange: (name, is) => changes.push(`${name} ${is}`) })
  ]
  here.enter('a')
  here.enter('b')
  t.strictSame([there.isElsewhere('a'), here.isElsewhere('a'), there.isElsewhere('b')], [true, false, true])
  here.leave('a')
  t.strictSame([there.isElsewhere('a'), there.isElsewhere('b')], [false, true])
  for (let i = 0; i < 10; i++) {
    clock.advance(5000)
    beat()
  }
  t.ok(there.isElsewhere('b'), 'it is said again')
  first.tell = () => {}
  clock.advance(25_000)
  beat()
  t.notOk(there.isElsewhere('b'), 'whoever said it is gone')
  t.strictSame(changes, ['a true', 'b true', 'a false', 'b false'])
})

t.test('who serves alone tells nobody, and keeps 10,000 values in its own memory', async (t) => {
  const clock = fixedClock()
  const one = alone(clock)
  one.hear('topic', () => t.fail('nobody is there'))()
  one.tell('topic')
  one.onBeat(() => t.fail('nobody is there'))
  one.onReach(() => t.fail('nobody is there'))
  const writing = one.write('x', 1)
  writing.add(2)
  writing.end()
  t.equal(await one.shown('x'), undefined)
  await one.put('first', 1, 1000)
  for (let i = 0; i < 10_000; i++) await one.put(`${i}`, i, 1000)
  t.equal(await one.take('first'), undefined)
  t.equal(await one.take('9999'), 9999)
  t.equal(await one.take('9999'), undefined)
  clock.advance(1001)
  t.equal(await one.take('9998'), undefined, 'its time is over')
  one.close()
})
