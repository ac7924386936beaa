import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { databaseOf } from '../postgres/database.ts'
import { FROM_SOURCE } from '../source.ts'

/** Runs a command and returns its output; from a directory of `build` it finds the database, too. */
export async function agenthall (args: string[], { env = {}, watched = false } = {}) {
  const said = { out: '', notes: [] as string[], progress: [] as string[] }
  const directory = args[args.indexOf('--data') + 1]!
  const { exitCode } = await run(args, {
    env: { ...databaseOf(directory), ...env },
    out: (text) => { said.out += text },
    note: (text) => { said.notes.push(text) },
    ...(watched && { progress: (text: string) => { said.progress.push(text) } })
  })
  return { ...said, note: said.notes.join('\n'), exitCode }
}

/** A server in its own process; resolves when it listens. */
export async function serving (t: Test, directory: string, env: Record<string, string> = {}, until = /listens on .*\n/) {
  const server = spawn(process.execPath, [...FROM_SOURCE, 'serve', '--port', '0', '--data', directory], {
    env, stdio: ['ignore', 'ignore', 'pipe']
  })
  t.teardown(() => server.kill('SIGKILL'))
  let said = ''
  const address = await new Promise<string>((resolve) =>
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      const found = /listens on (\S+)/.exec((said += text))
      if (found && until.test(said)) resolve(found[1]!)
    })
  )
  return { server, address, said: () => said }
}
