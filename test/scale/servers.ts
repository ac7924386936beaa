import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { startServer, type Running } from '../../src/server.ts'
import { newDatabase } from '../postgres/database.ts'
import { redisServer } from './redis.ts'

/** What a server answered. */
export interface Got { status: number, headers: Headers, body: any }

/** Sends a request to one of the servers with this key, or without any. */
export const asking = (servers: Array<Pick<Running, 'address'>>, key: string | undefined) =>
  async (
    at: number, method: string, route: string, body?: object, headers: Record<string, string> = {}
  ): Promise<Got> => {
    const answer = await fetch(`${servers[at % servers.length]!.address}${route}`, {
      method,
      headers: {
        ...(key && { authorization: `Api-Key ${key}` }), ...(body && { 'content-type': 'application/json' }), ...headers
      },
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) }
  }

/** Waits until a condition holds, or for this many milliseconds; returns how long it took. */
export async function until (isSo: () => Promise<boolean> | boolean, mostMs = 20_000): Promise<number> {
  const began = performance.now()
  while (!await isSo() && performance.now() - began < mostMs) await new Promise((resolve) => setTimeout(resolve, 10))
  return performance.now() - began
}

/** Several production servers of one database, each with its own directory and the shared key. */
export async function several (t: Test, { count = 3, env = {} as Record<string, string> } = {}) {
  const redis = await redisServer(t)
  const database = await newDatabase(t, process.env.TEST_POSTGRES!)
  const home = t.testdir({})
  const settings = {
    AGENTHALL_PORT: '0', AGENTHALL_DATABASE: database, AGENTHALL_REDIS: redis.address, AGENTHALL_AUTH_FAILURES: '0', ...env
  }
  const servers: Running[] = []
  async function start () {
    const directory = path.join(home, `data-${servers.length}`)
    mkdirSync(directory)
    const key = path.join(home, 'data-0', 'agenthall.key')
    if (existsSync(key)) copyFileSync(key, path.join(directory, 'agenthall.key'))
    const server = await startServer(readConfig({ ...settings, AGENTHALL_DATA: directory }), { log: false })
    t.teardown(async () => await server.close({ graceMs: 0 }))
    servers.push(server)
    return server
  }
  const { firstKey } = await start()
  for (let i = 1; i < count; i++) await start()
  const ask = asking(servers, firstKey)
  // Each has heard of the others, so that messages are received.
  await new Promise((resolve) => setTimeout(resolve, 600))
  return { redis, database, home, servers, start, settings, key: firstKey!, ask }
}
