import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { errorCode, Refusal } from '../../errors.ts'
import { budgetOf } from './budget.ts'
import { release } from './release.ts'
import { openSpill, type Spill } from './spill.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What to do instead of sending a body over the limit, as a sentence. */
    insteadOfLarge?: string
  }
  interface FastifyRequest {
    /**
     * The whole body, once it has arrived and there is memory for it. Refuses one over the route's `bodyLimit` with
     * `payload_too_large`.
     */
    receive (payload: Readable): Promise<Buffer>
    /**
     * Counts bytes that a handler receives itself, until the request is answered. Refuses with `rate_limited` or
     * `unavailable`, as `receive` does.
     */
    underWay (bytes: number): void
    /** What this request has reserved in the budgets. */
    taken: Taken | undefined
  }
}

interface Taken { account: number, disk: number, memory: number, gone: AbortController }

/** Total size of bodies at the same time, in bytes; one account may use at most half of it. */
interface BodyLimits {
  /** Of complete bodies being worked on. */
  memory: number
  /** Of bodies still arriving, on disk. */
  disk: number
}

/** Bytes of an arriving body held in memory; the rest waits on disk. */
const HELD = 64 * 1024
/** Overhead of a chunk besides its bytes, so that a body in single bytes costs no more than another. */
const PIECE_COST = 256
const PATIENCE_MS = 10_000

/** Dependencies of receiving bodies. */
export interface BodyOptions {
  /** Where they are buffered on disk. Called on first use. */
  folder: () => string
  limits: BodyLimits
  accountOf: (request: FastifyRequest) => number | undefined
  /** Throws when there is no disk space left. */
  checkRoom?: () => void
  /** How long a complete body waits for memory, in milliseconds. */
  patienceMs?: number
}

/**
 * Receives bodies at a cost that does not depend on the sender: a small one in memory, a larger one on disk as it
 * arrives, and read into memory when it is complete and there is room for it.
 */
export const bodies = fp<BodyOptions>(
  async (app, { folder, limits, accountOf, checkRoom = () => {}, patienceMs = PATIENCE_MS }) => {
    const memory = budgetOf({ most: limits.memory, perAccount: limits.memory / 2 })
    const disk = budgetOf({ most: limits.disk, perAccount: limits.disk / 2 })

    app.decorateRequest('taken', undefined)
    app.addHook('onRequest', (request, reply, done) => {
      if (hasBody(request.raw)) reply.raw.once('close', () => giveBack(request))
      done()
    })

    function giveBack (request: FastifyRequest) {
      if (!request.taken) return
      const { account, gone, ...taken } = request.taken
      request.taken = undefined
      gone.abort()
      disk.give(account, taken.disk)
      memory.give(account, taken.memory)
    }

    app.decorateRequest('underWay', function (bytes) {
      const taken = takenBy(this)
      if (!disk.take(taken.account, bytes)) throw full(disk.used() + bytes > limits.disk)
      taken.disk += bytes
    })

    app.decorateRequest('receive', async function (payload) {
      const { bodyLimit: limit } = this.routeOptions
      const { 'content-length': announced } = this.headers
      if (Number(announced) > limit) throw tooLarge(this, limit)
      const { held, size, spill } = await takeIn(this, payload, limit)
      try {
        if (announced !== undefined && size !== Number(announced)) {
          throw new Refusal('malformed_json', 'The body is shorter or longer than its Content-Length says.')
        }
        if (!spill) return Buffer.concat(held)
        await spill.write(held)
        const taken = takenBy(this)
        if (!(await memory.wait(taken.account, size, patienceMs, taken.gone.signal))) throw full(true)
        taken.memory += size
        return await spill.read()
      } finally {
        await spill?.close()
      }
    })

    async function takeIn (request: FastifyRequest, payload: Readable, limit: number) {
      let held: Uint8Array[] = []
      let cost = 0
      let size = 0
      let spill: Spill | undefined
      try {
        for await (const piece of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
          size += piece.length
          if (size > limit) throw tooLarge(request, limit)
          held.push(piece)
          cost += piece.length + PIECE_COST
          if (cost < HELD) continue
          request.underWay(cost)
          checkRoom()
          spill ??= await openSpill(folder())
          await spill.write(held)
          // What a test injects belongs to the test.
          if (isConnected(request.raw)) held.forEach(release)
          held = []
          cost = 0
        }
        return { held, size, spill }
      } catch (error) {
        // At once, even before its file is closed: until then all other incoming bodies would be refused as well.
        giveBack(request)
        await spill?.close()
        throw brokenOff(payload, error)
      }
    }

    function takenBy (request: FastifyRequest): Taken {
      // Without a key no body is read, so only tests get here without an account.
      request.taken ??= { account: accountOf(request) ?? 0, disk: 0, memory: 0, gone: new AbortController() }
      return request.taken
    }
  },
  { name: 'bodies' }
)

/** The error with which receiving a body failed, as a Refusal where it is known. */
function brokenOff (payload: Readable, error: unknown): unknown {
  if (error instanceof Refusal) return error
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Refusal('storage_full', 'The disk is full. Ask the operator to make room, then send it again.', {
      cause: error
    })
  }
  return (payload as IncomingMessage).aborted
    ? new Refusal('malformed_json', 'The body was cut off.', { cause: error })
    : error
}

function full (forAll: boolean): Refusal {
  const headers = { 'retry-after': '10' }
  return forAll
    ? new Refusal('unavailable', 'The server is taking in as much as it can; try again in a few seconds.', { headers })
    : new Refusal(
      'rate_limited',
      'Too much is being sent for this account at the same time. Send less at once, and try again in a few seconds.',
      { headers }
    )
}

function tooLarge ({ routeOptions: { config } }: FastifyRequest, limit: number): Refusal {
  return new Refusal(
    'payload_too_large',
    `The body is larger than the ${inUnits(limit)} that this address takes. ${config.insteadOfLarge ?? 'Send less at once.'}`,
    { fields: { limit } }
  )
}

/** Formats a number of bytes for people; limits are whole KiB or MiB. */
export function inUnits (bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`
}

/** The minimum rate of a sender: bytes per interval, and its length in milliseconds. */
export interface SlowestSender { bytes: number, everyMs: number }

/** 4 KiB a second, slower than any line that somebody would upload over. */
const SLOWEST: SlowestSender = { bytes: 60 * 1024, everyMs: 15_000 }

/** Whether a request comes with a body. */
export function hasBody ({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  )
}

/** Whether some of a request's body has not been read yet. */
export function bodyIsDue (raw: IncomingMessage): boolean {
  return hasBody(raw) && !raw.readableEnded
}

/** Whether a request came through a connection: what tests inject did not. */
export function isConnected ({ socket }: IncomingMessage): boolean {
  return 'bytesRead' in socket
}

/**
 * Watches bodies that are granted much time: without a minimum rate, a few bytes now and then would hold what was sent
 * before for all of it. `onSlow` is called with a sender that stays below; time in which the server itself does not
 * read does not count.
 */
export function slowSenders (onSlow: (request: FastifyRequest) => void, { bytes, everyMs }: SlowestSender = SLOWEST) {
  const watched = new Map<FastifyRequest, { read: number, since: number }>()
  let timer: NodeJS.Timeout | undefined

  function look () {
    const now = performance.now()
    for (const [request, { read, since }] of watched) {
      const { raw } = request
      if (raw.complete) forget(request)
      else if (raw.readableLength === 0 && now - since < everyMs) continue
      else if (raw.readableLength === 0 && raw.socket.bytesRead - read < bytes) {
        forget(request)
        onSlow(request)
      } else watched.set(request, { read: raw.socket.bytesRead, since: now })
    }
  }

  function forget (request: FastifyRequest) {
    watched.delete(request)
    if (watched.size === 0) stop()
  }

  function stop () {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Watches a request until its whole body has arrived, or it is answered. */
    watch (request: FastifyRequest, reply: FastifyReply) {
      const { raw } = request
      if (!isConnected(raw)) return
      watched.set(request, { read: raw.socket.bytesRead, since: performance.now() })
      timer ??= setInterval(look, everyMs / 15)
      reply.raw.once('close', () => forget(request))
    },
    stop
  }
}
