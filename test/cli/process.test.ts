import '../bare-children.ts'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { VERSION } from '../../src/version.ts'
import { FROM_SOURCE } from '../source.ts'

const NODE = [process.execPath, ...FROM_SOURCE]
const { AGENTHALL_DATA: _data, ...ENV } = process.env

/** Runs the program in its own process, as npm does, and returns what it printed. */
function agenthall (...args: string[]) {
  return spawnSync(NODE[0]!, [...NODE.slice(1), ...args], { encoding: 'utf8', env: ENV })
}

/** A server in its own process; resolves once it has printed this. */
async function serve (t: Test, data: string, until: RegExp) {
  const child = spawn(NODE[0]!, [...NODE.slice(1), 'serve', '--port', '0', '--data', data], {
    env: { ...ENV, AGENTHALL_LOG_LEVEL: 'warn' }
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { said += text })
  while (!until.test(said)) await once(child.stderr, 'data')
  async function stop () {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    return said
  }
  return { address: /listens on (\S+)/.exec(said)![1]!, said, stop }
}

/** Does what a line that starts with curl would do: the shell parses it, fetch sends it. */
async function curl (line: string) {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line.trim().slice('curl '.length)}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
  const headers: Record<string, string> = {}
  let [method, url, body] = ['GET', '', undefined as string | undefined]
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '-X') method = words[++i]!
    else if (words[i] === '-d') body = words[++i]
    else if (words[i] === '-H') {
      const [name, value] = words[++i]!.split(': ')
      headers[name!] = value!
    } else url = words[i]!
  }
  const answer = await fetch(url, {
    method, headers: { ...headers, connection: 'close' }, ...(body !== undefined && { body })
  })
  return { status: answer.status, body: await answer.json() }
}

t.test('a new installation shows a key once, and the three lines it prints work when pasted', async (t) => {
  const data = path.join(t.testdir({}), 'data')
  const first = await serve(t, data, /curl -X PUT.*\n/)
  const key = /agh_\w{49}/.exec(first.said)![0]
  const [create, list, update, ...more] = first.said.split('\n').filter((line) => line.trim().startsWith('curl '))
  t.strictSame(more, [])
  t.match(await curl(create!), { status: 201, body: { data: { id: 1, name: 'Support Agent' } } })
  t.match(await curl(list!), { status: 200, body: { data: [{ id: 1 }] } })
  t.match(await curl(update!), { status: 200, body: { data: { model: { temperature: 0.2 } } } })

  const asked = async (address: string, with_: string) =>
    (await fetch(`${address}/v1/agents`, { headers: { authorization: `Api-Key ${with_}`, connection: 'close' } }))
      .status
  const made = JSON.parse(agenthall('keys', 'create', '--user', '1', '--data', data, '--json').stdout)
  t.equal(await asked(first.address, made.key), 200, 'a key made by another process works on the next request')
  t.equal(agenthall('keys', 'revoke', String(made.id), '--data', data).stdout, `Key ${made.id} is revoked.\n`)
  t.equal(await asked(first.address, made.key), 401, 'and revoked by another process it fails on the next request')
  await first.stop()

  const second = await serve(t, data, /listens on .*\n/)
  t.equal(await asked(second.address, key), 200)
  t.equal(await asked(second.address, made.key), 401)
  t.notMatch(await second.stop(), 'agh_', 'the second start shows none')
})

t.test('a process that was asked for something impossible says so and exits with 1 or 2', async (t) => {
  const data = path.join(t.testdir({}), 'data')
  agenthall('users', 'create', '--name', 'Ada', '--data', data)
  const unknown = agenthall('keys', 'revoke', '7', '--data', data)
  t.strictSame(
    [unknown.status, unknown.stdout, unknown.stderr],
    [1, '', 'There is no key 7 that could be revoked; "npm run -s agenthall -- keys list" lists them.\n']
  )
  t.strictSame([agenthall('users', 'list', '--x').status, agenthall('--version').status], [2, 0])
})

t.test('an answer of which only the beginning is read ends quietly', async (t) => {
  const said = spawnSync(
    'sh',
    [
      '-c',
      `"$0" ${NODE.slice(1).join(' ')} openapi | head -c 1; "$0" ${NODE.slice(1).join(' ')} nonsense 2>&1 | true`,
      NODE[0]!
    ],
    { encoding: 'utf8', env: ENV }
  )
  t.strictSame([said.stdout, said.stderr], ['{', ''])
})

t.test('a server whose lines nobody reads any more goes on, and stops when it is told to', async (t) => {
  // Was wrong: where the reader closed between the last two lines, as "tee" does at Ctrl-C, it never ended.
  for (const [when, lost] of [
    ['as it comes up', /listening/],
    ['as it stops', /stopping/]
  ] as const) {
    const data = path.join(t.testdir({}), 'data')
    const server = spawn(NODE[0]!, [...NODE.slice(1), 'serve', '--port', '0', '--data', data], { env: ENV })
    t.teardown(() => server.kill('SIGKILL'))
    let logged = ''
    server.stdout.setEncoding('utf8').on('data', (text) => {
      logged += text
      if (!lost.test(logged)) return
      server.stdout.destroy()
      server.stderr.destroy()
    })
    server.stderr.resume()
    const ended = once(server, 'exit')
    while (!/listening at (\S+?)"/.test(logged)) await once(server.stdout, 'data')
    const address = /listening at (\S+?)"/.exec(logged)![1]!
    for (let asked = 0; asked < 3; asked++) {
      t.equal((await fetch(`${address}/healthz`, { headers: { connection: 'close' } })).status, 200, when)
    }
    server.kill('SIGTERM')
    t.strictSame(await ended, [0, null], when)
  }
})

/** A Node that claims to be older than it is, under its own path, and what makes it claim so. */
function oldNode (t: Test) {
  const directory = t.testdir({
    'old.cjs':
      "if (process.execPath.includes('old-node')) Object.defineProperty(process.versions, 'node', { value: '20.19.0' })"
  })
  const node = path.join(directory, 'old-node')
  copyFileSync(process.execPath, node)
  return {
    node, args: ['--require', path.join(directory, 'old.cjs'), ...NODE.slice(1)], data: path.join(directory, 'data')
  }
}

t.test(
  'a Node that is too old hands over to the one that npm installed, with its arguments, signals and status',
  async (t) => {
    const { node, args, data } = oldNode(t)
    const started = spawnSync(node, [...args, '--version'], { encoding: 'utf8', env: ENV })
    t.strictSame([started.status, started.stdout, started.stderr], [0, `${VERSION}\n`, ''])
    t.equal(spawnSync(node, [...args, 'users', 'list', '--x'], { env: ENV }).status, 2)
    const server = spawn(node, [...args, 'serve', '--port', '0', '--data', data], {
      env: { ...ENV, AGENTHALL_LOG_LEVEL: 'silent' }
    })
    t.teardown(() => server.kill('SIGKILL'))
    let said = ''
    server.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    while (!said.includes('listens on')) await once(server.stderr, 'data')
    await fetch(`${/listens on (\S+)/.exec(said)![1]}/healthz`, { headers: { connection: 'close' } })
    server.kill('SIGTERM')
    t.strictSame(await once(server, 'close'), [0, null])
  }
)

t.test('a Node that is too old, where there is no other, gets one sentence', async (t) => {
  const directory = t.testdir({ 'old.cjs': "Object.defineProperty(process.versions, 'node', { value: '20.19.0' })" })
  const old = spawnSync(
    process.execPath,
    ['--require', path.join(directory, 'old.cjs'), ...NODE.slice(1), 'users', 'list'],
    { encoding: 'utf8', env: ENV }
  )
  t.equal(old.status, 1)
  t.equal(old.stdout, '')
  t.match(old.stderr, /^Agenthall needs Node 24 or newer and this is Node 20\.19\.0\. [^\n]*\n$/)
})
