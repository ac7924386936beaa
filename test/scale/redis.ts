import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { skip as withoutPostgres } from '../postgres/database.ts'

/** Why tests that need Redis are skipped, or false where it is available. */
export const withoutRedis = spawnSync('redis-server', ['--version']).error
  ? 'redis-server is missing (Debian: apt-get install redis-server)'
  : false

/** The same for tests of several servers. */
export const skip = withoutPostgres || withoutRedis

/** A port of this machine that is free now. */
export async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A Redis for this test alone, without persistence; how it is hung, ended and restarted. */
export async function redisServer (t: Pick<Test, 'teardown'>) {
  const port = await freePort()
  let child = await started()
  async function started () {
    const made = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: ['ignore', 'pipe', 'ignore']
    })
    for await (const line of made.stdout.setEncoding('utf8')) if (String(line).includes('Ready to accept')) break
    return made
  }
  async function kill () {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  t.teardown(kill)
  return {
    address: `redis://127.0.0.1:${port}/0`,
    hang: () => { child.kill('SIGSTOP') },
    goOn: () => { child.kill('SIGCONT') },
    kill,
    async restart () { child = await started() }
  }
}
