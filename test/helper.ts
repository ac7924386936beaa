import './bare-children.ts'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { dataFile } from '../src/data-file.ts'
import type { Permission } from '../schema/access.ts'
import { PERMISSIONS } from '../schema/access.ts'
import type { Tier } from '../schema/plans.ts'
import { logOptions, type LogStream } from '../src/platform/http/log.ts'
import type { Clock } from '../src/platform/clock.ts'
import { openWarmSandbox } from '../src/platform/process/sandbox.ts'
import { connect } from '../src/platform/storage/sqlite/connect.ts'
import { beginFile, migrate } from '../src/platform/storage/sqlite/migrate.ts'
import type { Table } from '../src/handoff/index.ts'
import { looked, ownDatabase, type Scope } from './postgres/database.ts'
import { undocumented, unplaced } from './platform/http/documented.ts'
import type { Background } from '../src/kernel/index.ts'
import { openStores } from '../src/stores.ts'

/** A clock that stands still until it is advanced. */
export interface FixedClock extends Clock {
  /** Advances both readings by this many milliseconds. */
  advance (ms: number): void
}

export function fixedClock (start = Date.UTC(2026, 0, 1)): FixedClock {
  let micros = start * 1000
  let monotonic = 1000
  return {
    // A microsecond a call, as in production, so that no two events have the same time.
    micros: () => micros++,
    monotonic: () => monotonic,
    advance (ms) {
      micros += Math.round(ms * 1000)
      monotonic += ms
    }
  }
}

/**
 * The child that parses texts for all apps of this process, as one server parses them for all accounts: a child for
 * each app would take longer to start than all it does.
 */
const texts = openWarmSandbox()

let newest: Promise<Buffer> | undefined

/**
 * Puts an empty data file of the newest version into a directory that has none. All migrations take most of a new
 * server's start-up time, and give the same result each time, so they are run once in a process. How a server starts
 * and upgrades itself: test/stores.test.ts, test/platform/storage.
 */
async function begin (directory: string) {
  const file = dataFile(directory)
  const content = await (newest ??= migrated())
  if (existsSync(directory) && !existsSync(file)) writeFileSync(file, content, { mode: 0o600 })
}

async function migrated (): Promise<Buffer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
  const file = dataFile(directory)
  beginFile(file)
  const raw = connect(file)
  await migrate(raw)
  raw.close()
  const content = readFileSync(file)
  rmSync(directory, { recursive: true })
  return content
}

/**
 * The production app over a fresh file database, with a fixed clock. Closed when the test ends. `faults`: receives
 * expected faults of the background work; `log`: receives every line of the log; `table`: the hand-off policy, in place
 * of the product's own.
 */
export async function build (
  t: Scope,
  env: Record<string, string> = {},
  {
    directory = t.testdir({}), clock = fixedClock(), faults = undefined as unknown[] | undefined,
    log = undefined as LogStream | undefined, table = undefined as Table | undefined
  } = {}
) {
  const where = 'AGENTHALL_DATABASE' in env ? {} : await ownDatabase(t, directory)
  const config = readConfig({ AGENTHALL_AUTH_FAILURES: '0', ...env, ...where })
  await begin(directory)
  const stores = looked(t, config, await openStores({ config, directory, clock, table, outside: { texts } }))
  const closing = new AbortController()
  const app = await buildApp({
    config,
    stores,
    clock,
    stopping: closing.signal,
    isDescribed: true,
    ...(log && { logger: logOptions('trace', { stream: log }) })
  })
  await app.ready()
  let open = true
  async function close () {
    if (!open) return
    open = false
    closing.abort()
    await app.close()
    await (await worker)?.stop()
    await stores.close()
  }
  t.teardown(close)

  let worker: Promise<Background> | undefined
  /** Runs the background work until there is nothing left to do; a fault of ours fails the test. */
  async function settled () {
    worker ??= stores.work((error) => {
      faults ? faults.push(error) : t.fail('background work failed', { error })
    }, log && app.log)
    await (await worker).settled()
  }

  /** A client that sends these headers with every request. */
  function sending (always: Record<string, string>) {
    const request =
      (method: InjectOptions['method']) =>
        async (url: string, body?: unknown, headers: Record<string, string> = {}) => {
        // What comes through a socket comes in its own turn of the event loop; injected requests do not.
          await new Promise(setImmediate)
          const answer = await app.inject({
            method: method!,
            url,
            headers: { ...always, ...headers },
            ...(body !== undefined && { payload: body as object })
          })
          const missing = answer.statusCode === 409 &&
            undocumented(app, method!, url, answer.statusCode, answer.body)
          if (missing) t.fail(missing)
          const lost = answer.statusCode === 201 && unplaced(app, method!, url, answer.headers.location)
          if (lost) t.fail(lost)
          return answer
        }
    return {
      get: request('GET'),
      head: request('HEAD'),
      post: request('POST'),
      put: request('PUT'),
      delete: request('DELETE'),
      patch: request('PATCH'),
      options: request('OPTIONS')
    }
  }

  /** A client that sends this key, under one of the two schemes. */
  function withKey (key: string | undefined, scheme = 'Api-Key') {
    return { key, ...sending(key === undefined ? {} : { authorization: `${scheme} ${key}` }) }
  }

  /** A client that calls like a page of ours in a browser where this user has signed in. */
  async function withSession (user: number, account?: number) {
    const { session, token } = (await stores.signIn.begin(user, 'A browser'))!
    const cookie = `agenthall=${token}`
    const headers = {
      cookie, 'sec-fetch-site': 'same-origin', ...(account !== undefined && { 'agenthall-account': String(account) })
    }
    return { session: session.id, cookie, ...sending(headers) }
  }

  /** A new user of a tier (default: enterprise), and a client with a key that has the permissions (default: all). */
  async function user ({
    tier = 'enterprise', permissions = [...PERMISSIONS], name = 'Somebody'
  }: { tier?: Tier, permissions?: Permission[], name?: string } = {}) {
    const { user, key: first } = await stores.access.createUser({ name, tier })
    const key =
      permissions.length === PERMISSIONS.length
        ? first
        : (await stores.access.createKey(user.id, () => ({ name: 'Test', permissions, expires_at: null }))).answer.key
    return { id: user.id, ...withKey(key) }
  }

  return { app, config, stores, clock, directory, close, settled, sending, withKey, withSession, user }
}

/** Every route of the app: whatever is not refused with 405 at a path that has any. */
export async function routesOf (app: FastifyInstance) {
  const routes: Array<{ method: Method, url: string }> = []
  for (const url of app.routeMethods.keys()) {
    for (const method of METHODS) {
      const { statusCode } = await app.inject({ method, url: url.replaceAll(/:\w+/g, '1') })
      if (statusCode !== 405) routes.push({ method, url })
    }
  }
  return routes
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = typeof METHODS[number]

/** The minimum that creates an agent. */
export const draft = { name: 'Ada', systemPrompt: 'You help.' }
