import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import t from 'tap'
import {
  confinement, type Confinement, firstThatWorks, openSandbox, unconfined, waysAs
} from '../../../src/platform/process/sandbox.ts'
import '../../bare-children.ts'

const LOCK = new URL('../../../src/platform/process/lock-down.ts', import.meta.url).href
const run = promisify(execFile)
const isLinux = process.platform === 'linux'
const { endsWithParent: isConfined } = await confinement()
const isRoot = isLinux && process.getuid!() === 0
const UNCONFINED = (!isLinux && 'not Linux') || (!isConfined && 'this system offers no way to confine a child')
const needsRoot = !isRoot && 'only root can make a child another user'

/** The output of a script in the sandbox's child. */
async function inside (code: string, confined: () => Promise<Confinement> = confinement): Promise<any> {
  const all: unknown[] = []
  const step = {
    command: [process.execPath, '--input-type=module', '-e', code, '--'],
    input: [],
    memoryMiB: 160,
    deadlineMs: 20_000,
    maxOutput: 1e6
  }
  for await (const value of openSandbox({ atOnce: 1 }, confined).run(step)) all.push(value)
  return all[0]
}

/** A hostile script that tries each of these and reports the results. */
const trying = (attempts: Record<string, string>) => `
  const outcome = {}
  ${Object.entries(attempts)
    .map(
      ([name, attempt]) =>
        `try { await (async () => { ${attempt} })(); outcome[${JSON.stringify(name)}] = 'done' } catch (error) { outcome[${JSON.stringify(name)}] = error.code ?? error.name }`
    )
    .join('\n')}
  console.log(JSON.stringify(outcome))`

t.test('files that cannot be opened for a while do not leave children unconfined', { skip: UNCONFINED }, async (t) => {
  const module = new URL('../../../src/platform/process/sandbox.ts', import.meta.url).href
  const code = `
    const { closeSync, openSync } = await import('node:fs')
    const { confinement } = await import('${module}')
    const held = []
    try { for (;;) held.push(openSync('/dev/null')) } catch {}
    console.log(await confinement().then(() => 'started', ({ code }) => code))
    held.forEach((file) => closeSync(file))
    console.log((await confinement()).endsWithParent)`
  const { stdout } = await run('prlimit', ['--nofile=200', process.execPath, '--input-type=module', '-e', code])
  t.strictSame(stdout.trim().split('\n'), ['EMFILE', 'true'])
})

t.test('a hostile script in the child gets no worker, no database, no process and no inner part of Node', async (t) => {
  // Was wrong: a worker escaped the permission model, node:sqlite opened the server's database, the server could be
  // signalled.
  const attempts = {
    worker: "new (await import('node:worker_threads')).Worker('1', { eval: true })",
    'worker without its prefix': "await import('worker_threads')",
    database: "new (await import('node:sqlite')).DatabaseSync(':memory:')",
    'database another way': "new (process.getBuiltinModule('node:sqlite')).DatabaseSync(':memory:')",
    'worker another way': "new (process.getBuiltinModule('worker_threads')).Worker('1', { eval: true })",
    process: "(await import('node:child_process')).spawnSync('/bin/true')",
    cluster: "await import('node:cluster')",
    modules: "(await import('node:module')).createRequire('/')('node:sqlite')",
    'modules another way': "process.getBuiltinModule('module').createRequire('/')('node:sqlite')",
    'another realm': "await import('node:vm')",
    inspector: "await import('node:inspector')",
    flags: "(await import('node:v8')).setFlagsFromString('--allow-natives-syntax')",
    'inner parts': "process.binding('spawn_sync')",
    'more inner parts': "process._linkedBinding('fs')",
    'native code': "process.dlopen({ exports: {} }, '/x.node')",
    'another program': "process.execve('/bin/true', [], {})",
    'a signal to the server': 'process.kill(process.ppid, 0)',
    'a signal past the function': 'process._kill(process.ppid, 0)',
    debugger: 'process._debugProcess(process.ppid)',
    'the main module': "process.mainModule.require('node:sqlite')",
    'undone by definition': "Object.defineProperty(process, 'kill', { value: () => 1 })",
    'undone by deletion': 'delete process.getBuiltinModule',
    'code from a text': "new Function('return 1')()",
    'code from a text, evaluated': "(0, eval)('1')",
    'a file': "(await import('node:fs')).readFileSync('/etc/hostname')",
    'a new file': "(await import('node:fs')).writeFileSync('/tmp/x', '')",
    'a connection':
      "const { connect } = await import('node:net'); await new Promise((resolve, reject) => connect(9, '127.0.0.1').on('connect', resolve).on('error', reject))"
  }
  for (const [how, confined] of [
    ['as this system confines', confinement], ['by Node alone', async () => unconfined]
  ] as const) {
    const outcome = await inside(`(await import('${LOCK}')).lockDown(); ${trying(attempts)}`, confined)
    for (const name of Object.keys(attempts)) {
      t.match(outcome[name], /^(?:ERR_ACCESS_DENIED|EvalError|TypeError)$/, `${how}: ${name}`)
    }
  }
  const used = {
    zlib: "(await import('node:zlib')).gzipSync('x')", path: "process.getBuiltinModule('node:path').join('a', 'b')"
  }
  t.same(
    await inside(`(await import('${LOCK}')).lockDown(); ${trying(used)}`),
    { zlib: 'done', path: 'done' },
    'what readers need is there'
  )
})

t.test(
  'the system keeps a child from the server even where Node does not',
  { skip: UNCONFINED },
  async (t) => {
    const { prefix } = await confinement()
    const strict = prefix().some((word) => /^--(?:reuid|pid)/.test(word))
    const outcome = await inside(trying({ signal: `process.kill(${process.pid}, 0)` }))
    t.match(outcome.signal, strict ? /^(?:EPERM|ESRCH)$/ : 'done')
  }
)

t.test('of root, each child is another user, and none of this machine', { skip: UNCONFINED || needsRoot }, async (t) => {
  const [one, other] = [await inside('console.log(process.getuid())'), await inside('console.log(process.getuid())')]
  t.ok(one >= 2e9 && other > one)
})

const become = ['setpriv', '--reuid=1999999999', '--regid=1999999999', '--clear-groups']
for (const [whose, ways, skip] of [
  ['the user of this process', () => waysAs(process.getuid!()), !isLinux && 'not Linux'],
  [
    'another user than root',
    () => waysAs(1_999_999_999).map((way) => () => [...become, ...way()]),
    (!isLinux && 'not Linux') || needsRoot
  ]
] as const) {
  const promise = 'every way that this system offers runs a child, tells its end, and ends it for its memory'
  t.test(`as ${whose}: ${promise}`, { skip }, async (t) => {
    for (const prefix of ways()) {
      const confined = async () => ({ prefix, endsWithParent: true })
      const name = prefix().join(' ')
      const said = await inside('console.log(1)', confined).catch((error) => error.code)
      if (said !== 1) {
        t.match(String(said), /ENOENT|crashed/, `not here: ${name}`)
        continue
      }
      await t.rejects(inside('process.exit(3)', confined), { code: 'crashed' }, name)
      await t.rejects(
        inside('const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))', confined), { code: 'out_of_memory' }, name
      )
      await t.rejects(
        inside('const all = []; for (;;) all.push(Array(1e5).fill(all.length + 0.5))', confined),
        { code: 'out_of_memory' },
        name
      )
    }
  })
}

t.test('the system ends a child whose server is gone', { skip: UNCONFINED }, async (t) => {
  // Was wrong without --pdeathsig: the child looped on.
  const [, , way] = waysAs(0)
  const loop = [...way!(), process.execPath, '-e', 'console.log(process.pid); for (;;) {}']
  const server = `
    const child = require('node:child_process').spawn(${JSON.stringify(loop[0])}, ${JSON.stringify(loop.slice(1))}, { stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.once('data', (pid) => { process.stdout.write(pid, () => process.kill(process.pid, 'SIGKILL')) })`
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = await once(child.stdout!, 'data')
  const alive = () => { try { return process.kill(Number(pid), 0) } catch { return false } }
  while (alive()) await new Promise(setImmediate)
  t.equal(alive(), false, 'it is gone')
})

t.test('where nothing else works a child is started as it is', async (t) => {
  const missing = () => ['agenthall-no-such-program']
  const broken = () => ['false']
  const plain = () => ['env']
  t.same(
    await firstThatWorks([missing, broken, plain, missing]),
    { prefix: plain, endsWithParent: true },
    'the first that works'
  )
  t.equal(await firstThatWorks([missing, broken]), unconfined)
  t.equal(unconfined.endsWithParent, false)
  t.equal(await inside('console.log(process.execArgv.length)', async () => unconfined), 3)
})
