import '../bare-children.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { scratch } from './tools/server.ts'

const root = path.join(import.meta.dirname, '../..')
const NO_SIGNALS = process.platform === 'win32' && 'Windows has no signals'

/** `npm start`, and the id of the server's process once it listens. */
async function npmStart (t: Test) {
  const env = {
    ...process.env, AGENTHALL_DATA: scratch(t), AGENTHALL_PORT: '0', AGENTHALL_LOG_LEVEL: 'info', npm_config_offline: 'true'
  }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  t.teardown(() => { try { process.kill(-npm.pid!, 'SIGKILL') } catch {} })
  let said = ''
  npm.stderr.setEncoding('utf8').on('data', (text: string) => { said += text })
  npm.stdout.setEncoding('utf8').on('data', (text: string) => { said += text })
  const id = () => Number(/"pid":(\d+)/.exec(said)?.[1])
  while (!/Agenthall listens on/.test(said) || !id()) await once(npm.stderr, 'data')
  return { npm, server: id(), said: () => said }
}

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Once the process is gone; a server that was not told goes on for ever. */
async function gone (pid: number): Promise<boolean> {
  const until = performance.now() + 20_000
  while (runs(pid) && performance.now() < until) await pause(50)
  return !runs(pid)
}

t.test('npm start under SIGTERM leaves no server running', { skip: NO_SIGNALS }, async (t) => {
  const { npm, server, said } = await npmStart(t)
  npm.kill('SIGTERM')
  t.ok(await gone(server), 'it is gone')
  t.match(said(), /"msg":"stopped"/, 'in order')
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} to npm, its shell and the server is one signal to the server`, { skip: NO_SIGNALS }, async (t) => {
    const { npm, server, said } = await npmStart(t)
    process.kill(-npm.pid!, signal)
    t.ok(await gone(server))
    t.match(said(), /"msg":"stopped"/)
  })
}
