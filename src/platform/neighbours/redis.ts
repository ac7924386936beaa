import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors.ts'
import { growingWaits } from '../work/growing-waits.ts'
import { slidingWindow } from '../work/sliding-window.ts'
import type { Neighbours, Said, Shown, Writing } from './contract.ts'
import { ownHolds } from './holds.ts'
import { ADD, END, FORGET, HOLD, LET_GO, SHOWN, TAKE, TRY } from './scripts.ts'
import type { Sealing } from './sealed.ts'

/** How often a process sends a heartbeat, and after how long a silence the others count as unreachable. */
const BEAT_MS = 200
const SILENCE_MS = 500
/** How long a process counts as present after its heartbeat. */
const THERE_MS = 3000
/** How long to wait for a response from Redis; after that, counting is local. */
const ANSWER_MS = 400
const CONNECT_MS = 2000
const LONGEST_RETRY_MS = 1000
/** How long published data is kept when its writer is silent. */
const SHOWN_MS = 60_000
const WINDOW_MS = 60_000
/** Cached answers of others, so that only new parts are read. */
const MOST_SEEN = 1000

/** Options for connecting to the neighbours. */
interface RedisOptions {
  /** `redis://user:password@host:port/0`, or `rediss://` over TLS. */
  address: string
  /** A name that all processes of one installation, and no others, use. */
  installation: string
  /** Seals the data in Redis, and the names of whatever is counted or published there. */
  sealing: Sealing
  clock: Pick<Clock, 'monotonic'>
  /** Called every beat while the others cannot be reached, and once when they are reachable again. */
  onAway: () => void
}

/** The channel for messages between processes. */
const TOLD = 'told'

type Message = { from: string, beat?: true, told?: Array<[topic: string, said: Said]> }

/** Neighbours connected by Redis or a compatible server. It need not be up at the start. */
export function redisNeighbours ({ address, installation, sealing, clock, onAway }: RedisOptions): Neighbours {
  const self = randomBytes(9).toString('base64url')
  const prefix = `agenthall:${installation}:`
  const keyOf = (kind: string, name: string) => `${prefix}${kind}:${sealing.name(`${kind} ${name}`)}`
  const options = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times: number) => Math.min(times * 100, LONGEST_RETRY_MS)
  }
  const redis = new Redis(address, { ...options, commandTimeout: ANSWER_MS })
  const ears = new Redis(address, { ...options, enableOfflineQueue: true, maxRetriesPerRequest: null })
  for (const client of [redis, ears]) client.on('error', () => {})
  const listeners = new Map<string, Set<(said: Said, process: string) => void>>()
  const there = new Map<string, number>()
  const onBeat: Array<() => void> = []
  const onReach: Array<(isReachable: boolean) => void> = []
  /** Publications that failed and are retried. */
  const unsent = new Set<() => void>()
  let count = 1
  let beaten = clock.monotonic()
  let heard = -Infinity
  let isUp = false
  let due = new Map<string, [string, Said]>()

  ears.subscribe(prefix + TOLD).catch(() => {})
  ears.on('message', (_channel, sealed) => {
    const text = sealing.open(TOLD, sealed)
    if (text !== undefined) hear(JSON.parse(text) as Message)
  })

  function hear ({ from, beat, told = [] }: Message) {
    if (beat) there.set(from, clock.monotonic())
    if (beat && from === self) heard = clock.monotonic()
    if (from === self) return
    for (const [topic, said] of told) for (const callback of [...listeners.get(topic) ?? []]) callback(said, from)
  }

  function beat () {
    const now = clock.monotonic()
    const isLate = now - beaten > 2 * BEAT_MS
    beaten = now
    for (const [process, last] of there) if (now - last > THERE_MS) there.delete(process)
    const was = isUp
    // What was said while this process was blocked is heard in a moment.
    if (!isLate) isUp = now - heard <= SILENCE_MS
    // Their share stays the same while nobody is heard.
    if (isUp) count = Math.max(1, there.size)
    if (was !== isUp) for (const callback of onReach) callback(isUp)
    if (!isUp || !was) onAway()
    publish({ from: self, beat: true })
    if (isUp) for (const send of unsent) send()
    for (const callback of onBeat) callback()
  }
  const timer = setInterval(beat, BEAT_MS)
  timer.unref()
  redis.once('ready', beat)

  function publish (message: Message) {
    redis.publish(prefix + TOLD, sealing.close(TOLD, JSON.stringify(message))).catch(() => {})
  }

  function flush () {
    const told = [...due.values()]
    due = new Map()
    publish({ from: self, told })
  }

  /** A response from Redis; undefined while it is away. */
  async function asked<T> (ask: () => Promise<unknown>): Promise<T | undefined> {
    if (!isUp) return undefined
    try {
      return await ask() as T
    } catch {
      return undefined
    }
  }

  const script = (text: string, keys: string[], ...values: Array<string | number>) =>
    asked<any[]>(() => redis.eval(text, keys.length, ...keys, ...values))

  function write (name: string, head: Said): Writing {
    const key = keyOf('shown', name)
    const called = randomBytes(9).toString('base64url')
    const text = `${prefix}text:${called}`
    const line = (said: Said) => `${sealing.close(called, JSON.stringify(said))}\n`
    let all = line(head)
    let sent = 0
    let isOver = false
    let isDue = false
    let last = Promise.resolve()

    /** Publishes what has not been published yet: everything if nothing was, or if that is unknown. */
    async function sendNow () {
      isDue = false
      const some = all.slice(sent)
      if (isOver || some === '') return
      const end = all.length
      const done = sent === 0
        ? await asked(() => redis.multi().set(text, some, 'PX', SHOWN_MS).set(key, called, 'PX', SHOWN_MS).exec())
        : await script(ADD, [key, text], called, some, SHOWN_MS)
      // Another process has begun there since.
      if (Number(done) === 0) isOver = true
      sent = done === undefined || Number(done) === -1 ? 0 : end
      if (sent === 0) unsent.add(send)
      else unsent.delete(send)
    }
    function send () {
      if (isDue) return
      isDue = true
      last = last.then(sendNow)
    }
    send()
    return {
      add (piece) {
        all += line(piece)
        setImmediate(send)
      },
      end () {
        isOver = true
        unsent.delete(send)
        last = last.then(async () => { await script(END, [key, text], called) })
      }
    }
  }

  const seen = new Map<string, { called: string, bytes: number, lines: Said[] }>()

  async function shown (name: string): Promise<Shown | undefined> {
    const before = seen.get(name)
    const found = await script(
      SHOWN, [keyOf('shown', name)], `${prefix}text:`, before?.called ?? '', before?.bytes ?? 0
    )
    seen.delete(name)
    if (!found) return undefined
    const [called, text] = found as [string, string]
    const known = before?.called === called ? before : { called, bytes: 0, lines: [] }
    const added = text.split('\n').slice(0, -1).map((one) => JSON.parse(sealing.open(called, one) ?? 'null') as Said)
    const now = { called, bytes: known.bytes + Buffer.byteLength(text), lines: [...known.lines, ...added] }
    seen.set(name, now)
    if (seen.size > MOST_SEEN) seen.delete(seen.keys().next().value!)
    const [head = null, ...rest] = now.lines
    return { called, head, added: rest }
  }

  return {
    isAlone: false,
    tell (topic, said = null) {
      if (due.size === 0) setImmediate(flush)
      // A repeated message is sent last, so that it takes effect.
      const words = `${topic} ${JSON.stringify(said)}`
      due.delete(words)
      due.set(words, [topic, said])
    },
    hear (topic, callback) {
      const all = listeners.get(topic) ?? new Set()
      listeners.set(topic, all.add(callback))
      return () => { all.delete(callback) }
    },
    ...countedTogether({ clock, script, keyOf, count: () => count }),
    async put (name, value, forMs) {
      await asked(() => redis.set(keyOf('put', name), sealing.close(`put ${name}`, JSON.stringify(value)), 'PX', forMs))
    },
    async take (name) {
      const sealed = await asked<string | null>(() => redis.getdel(keyOf('put', name)))
      const text = sealed ? sealing.open(`put ${name}`, sealed) : undefined
      return text === undefined ? undefined : JSON.parse(text) as Said
    },
    write,
    shown,
    onReach: (callback) => { onReach.push(callback) },
    onBeat: (callback) => { onBeat.push(callback) },
    close () {
      clearInterval(timer)
      redis.disconnect()
      ears.disconnect()
    }
  }
}

/** Counts together with the others by one script each. `count`: how many divide a limit that cannot be shared. */
function countedTogether ({ clock, script, keyOf, count }: {
  clock: RedisOptions['clock']
  script: (text: string, keys: string[], ...values: Array<string | number>) => Promise<any[] | undefined>
  keyOf: (kind: string, name: string) => string
  count: () => number
}): Pick<Neighbours, 'window' | 'waits' | 'hold'> {
  const holds = ownHolds(clock)
  return {
    async hold (name, forMs) {
      // In this process first, so that it holds here when Redis is lost or emptied meanwhile.
      const letGo = holds.hold(name, forMs)
      if (!letGo) return undefined
      const [key, holder] = [keyOf('hold', name), randomBytes(9).toString('base64url')]
      const found = await script(HOLD, [key], holder, forMs)
      if (found && Number(found[0]) === 0) {
        letGo()
        return undefined
      }
      return async () => {
        letGo()
        await script(LET_GO, [key], holder)
      }
    },
    window ({ name, most, windowMs = WINDOW_MS }) {
      const own = slidingWindow({ clock, most, windowMs })
      const key = (who: string | number) => keyOf('window', `${name} ${who}`)
      return {
        async take (who, limit) {
          const found = await script(TAKE, [key(who)], limit, windowMs, 0)
          if (!found) return own.take(who, Math.ceil(limit / count()))
          const [allowed, used, freesMs] = found.map(Number) as [number, number, number]
          return { allowed: allowed === 1, used, freesMs }
        },
        async used (who) {
          const found = await script(TAKE, [key(who)], 0, windowMs, 1)
          return found ? Number(found[1]) : own.used(who)
        }
      }
    },
    waits ({ name, most, free, longestMs, forgottenMs }) {
      const own = growingWaits({ clock, most, free, longestMs, forgottenMs })
      const key = (who: string) => keyOf('waits', `${name} ${who}`)
      return {
        async attempt (who) {
          const found = await script(TRY, [key(who)], free, longestMs, forgottenMs)
          return found ? Number(found[0]) : await own.attempt(who)
        },
        async forget (who) {
          await own.forget(who)
          await script(FORGET, [key(who)])
        }
      }
    }
  }
}

/** The version of the Redis at an address. Refuses with `unavailable` if it does not answer. */
export async function redisVersion (address: string): Promise<string> {
  const redis = new Redis(address, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null
  })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of no version that it says'
  } catch (cause) {
    throw new Refusal('unavailable', 'Redis does not answer. Check AGENTHALL_REDIS.', { cause })
  } finally {
    redis.disconnect()
  }
}
