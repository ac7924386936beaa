import { once } from 'node:events'
import { execFileSync, spawn } from 'node:child_process'
import { getPriority } from 'node:os'
import t from 'tap'
import {
  openSandbox, type SandboxError, selfCommand, type Step, unconfined
} from '../../../src/platform/process/sandbox.ts'
import { watchOver } from '../../../src/platform/process/watchdog.ts'
import '../../bare-children.ts'

const WATCHDOG = new URL('../../../src/platform/process/watchdog.ts', import.meta.url).href
/** The child's side of the protocol, before whatever a test makes go wrong. */
const WATCHED = `(await import('${WATCHDOG}')).watchOver(160);`

/** A step whose child runs this code. */
function step (code: string, more: Partial<Step> = {}): Step {
  return {
    command: [process.execPath, '--input-type=module', '-e', code, '--'],
    input: [],
    memoryMiB: 160,
    deadlineMs: 20_000,
    maxOutput: 1e6,
    ...more
  }
}

async function answers (code: string, more: Partial<Step> = {}, sandbox = openSandbox()): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const value of sandbox.run(step(code, more))) all.push(value)
  return all
}

async function fault (code: string, more: Partial<Step> = {}, sandbox = openSandbox()): Promise<string> {
  try {
    await answers(code, more, sandbox)
    return 'none'
  } catch (error) {
    return (error as SandboxError).code
  }
}

/** Whether a process ends within ten seconds. If not, it is killed, so that nothing is left behind. */
async function isGone (pid: number): Promise<boolean> {
  const alive = () => { try { return process.kill(pid, 0) } catch { return false } }
  const deadline = Date.now() + 10_000
  while (alive() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  return !alive() || !process.kill(pid, 'SIGKILL')
}

t.test('a step gets its input and its limit, and gives back what it printed', async (t) => {
  const code = `
    let text = ''
    for await (const chunk of process.stdin) text += chunk
    console.log(JSON.stringify({ text }))
    console.log(JSON.stringify(process.argv.slice(-1)))`
  const input = (async function * () { yield Buffer.from('piece by '); yield 'piece' })()
  t.same(await answers(code, { input }), [{ text: 'piece by piece' }, ['160']])
})

t.test('the child has no environment of ours, no files, no network, no processes', async (t) => {
  // Was wrong with nodeOptions without its permissions: the file was read, the process started; and with our
  // environment passed on.
  const code = `
    const refused = async (attempt) => { try { await attempt(); return 'done' } catch (error) { return error.code } }
    console.log(JSON.stringify({
      environment: Object.keys(process.env),
      file: await refused(async () => (await import('node:fs')).readFileSync('/etc/hostname')),
      process: await refused(async () => (await import('node:child_process')).execFileSync('/bin/true')),
      network: await refused(async () => { const { connect } = await import('node:net'); await new Promise((resolve, reject) => connect(9, '127.0.0.1').on('connect', resolve).on('error', reject)) })
    }))`
  t.match(await answers(code), [
    {
      environment: ['NODE_OPTIONS'],
      file: 'ERR_ACCESS_DENIED',
      process: 'ERR_ACCESS_DENIED',
      network: 'ERR_ACCESS_DENIED'
    }
  ])
})

// Was wrong with a child that may print without limit.
t.test('the child yields to the server where both want the same core', async (t) => {
  const code = `
    const { getPriority } = await import('node:os')
    for await (const _chunk of process.stdin);
    console.log(JSON.stringify(getPriority()))`
  t.same(await answers(code), [getPriority() + 5])
})

t.test('every way of failing has its code', async (t) => {
  t.equal(await fault('for (;;) {}', { deadlineMs: 300 }), 'timeout')
  t.equal(await fault('setInterval(() => {}, 1e6)', { deadlineMs: 300 }), 'timeout', 'also when it only waits')
  t.equal(await fault('throw new Error("boom")'), 'crashed')
  t.equal(await fault('console.log("not JSON")'), 'crashed')
  t.equal(await fault('process.stdout.write("{\\"half\\": 1}")'), 'crashed', 'a line that does not end was cut off')
  t.equal(await fault('setInterval(() => console.log("1".repeat(1e5)), 1)', { maxOutput: 1e5 }), 'output_too_large')
  t.equal(await fault('process.kill(process.pid, "SIGTERM")'), 'crashed')
  await t.rejects(answers('throw new Error("boom")'), /boom/, 'the last words are in the message')
})

t.test('an answer is a line of bounded length, and each character of it is looked at once', async (t) => {
  // Was wrong: a line of 100 MB was joined and split again with each piece that came, 73 s of the server's CPU time.
  const pieces =
    'const piece = "1".repeat(2 ** 20); for (let i = 0; i < 9; i++) process.stdout.write(piece); process.stdout.write("\\n")'
  t.equal(await fault(pieces, { maxOutput: 1e9 }), 'output_too_large')
  const cut =
    'const write = (text) => new Promise((done) => process.stdout.write(text, done)); for (const text of ["[1", ",2", "]\\n[", "3]\\n\\"gr", "\u00fc\u00df", "e\\"\\n"]) await write(text)'
  t.same(await answers(cut), [[1, 2], [3], 'gr\u00fc\u00dfe'], 'wherever it is cut')
})

t.test('the time that the server takes to read an answer counts as the child\'s', async (t) => {
  // Was wrong: only the waiting counted, so that answers made to be slow to read had unlimited time.
  const { parse } = JSON
  t.teardown(() => { JSON.parse = parse })
  JSON.parse = (text: string) => {
    for (const until = performance.now() + 400; performance.now() < until;);
    return parse(text)
  }
  t.equal(await fault('for (let i = 0; i < 10; i++) console.log(i)', { deadlineMs: 2000 }), 'timeout')
})

t.test('memory is limited on the heap and beside it', async (t) => {
  t.equal(
    await fault('const all = []; for (;;) all.push(Array(1e5).fill(all.length + 0.5))', { memoryMiB: 64 }),
    'out_of_memory'
  )
  // Was wrong without a watch: buffers are not on the heap, the child took all it wanted.
  const takes = 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'
  t.equal(await fault(takes), 'out_of_memory', 'the server looks')
  t.equal(
    await fault(
      `${WATCHED} ${takes}`, {}, openSandbox({ atOnce: 1 }, async () => unconfined)
    ),
    'out_of_memory',
    'where it cannot, the child itself does'
  )
})

t.test('a child whose server is gone does not go on', async (t) => {
  // The server in between dies at once; its child loops endlessly. Was wrong without the watchdog's check of its
  // parent.
  const loop = `${WATCHED} console.log(process.pid); for (;;) {}`
  const server = `
    const child = require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(loop)}], { stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.once('data', (pid) => { process.stdout.write(pid, () => process.kill(process.pid, 'SIGKILL')) })`
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = await once(child.stdout!, 'data')
  t.ok(await isGone(Number(pid)))
})

t.test('what the reader of the answers does is not counted as the child\'s time', async (t) => {
  const seen: unknown[] = []
  for await (const value of openSandbox().run(
    step('for (let i = 0; i < 3; i++) console.log(i)', { deadlineMs: 1000 })
  )) {
    seen.push(value)
    if (value === 0) await new Promise((resolve) => setTimeout(resolve, 1100))
  }
  t.same(seen, [0, 1, 2])
})

t.test('no more run at once than allowed, and the others get their turn in order', async (t) => {
  const sandbox = openSandbox({ atOnce: 1 })
  const ended: string[] = []
  const run = async (name: string, code: string) => {
    await answers(code, {}, sandbox).catch(() => {})
    ended.push(name)
  }
  await Promise.all([run('slow', 'setTimeout(() => {}, 300)'), run('broken', 'throw 1'), run('last', '1')])
  t.same(ended, ['slow', 'broken', 'last'])
  // Was wrong, never ending, with a place that is passed on but not released where nobody waits.
  await run('later', '1')
  t.equal(ended.at(-1), 'later')
})

t.test('a reader who has enough ends the child, and gives its place to the next', async (t) => {
  // Was wrong without the kill after the last answer.
  const sandbox = openSandbox({ atOnce: 1 })
  const run = sandbox.run(step('console.log(process.pid); setInterval(() => {}, 1e6)'))
  const { value: pid } = await run.next()
  await run.return()
  t.ok(await isGone(Number(pid)))
  t.same(await answers('console.log(1)', {}, sandbox), [1])
})

// Was wrong without the signal in Run.
t.test('an abort ends the child, or keeps it from starting', async (t) => {
  const stop = new AbortController()
  const code = 'console.log(1); setInterval(() => {}, 1e6)'
  const run = openSandbox().run(step(code, { signal: stop.signal }))
  t.same(await run.next(), { done: false, value: 1 })
  stop.abort(new Error('shutting down'))
  await t.rejects(run.next(), /shutting down/)
  await t.rejects(answers(code, { signal: stop.signal }), /shutting down/)
})

t.test('an input that breaks off breaks the step off with its own error', async (t) => {
  const input = (async function * () { yield 'one'; throw new Error('the file is gone') })()
  await t.rejects(answers('for await (const chunk of process.stdin);', { input }), /the file is gone/)
})

t.test('a child that does not read its input is judged by how it ends', async (t) => {
  t.same(await answers('console.log(1); process.exit(0)', { input: [Buffer.alloc(4e6)] }), [1])
})

t.test('a program that cannot be started is an error of the machine, not of the step', async (t) => {
  const unstartable = { command: ['/nowhere/node'] }
  await t.rejects(answers('', unstartable, openSandbox({ atOnce: 1 }, async () => unconfined)), { code: 'ENOENT' })
  t.match(await fault('', unstartable), /^(?:ENOENT|crashed)$/, 'never out of memory, or too slow')
})

t.test('the command for ourselves names the entry when run from source', async (t) => {
  const [program, entry, sub] = selfCommand('__extract')
  t.equal(program, process.execPath)
  t.match(entry, /src[\\/]main\.ts$/)
  t.equal(sub, '__extract')
  t.same(selfCommand('x', 'other.ts').slice(1), ['other.ts', 'x'])
})

t.test('the watchdog lets a well-behaved process be', async (t) => {
  watchOver(1e6)
  // It lives for several of the watchdog's checks, which come every 20 ms.
  const living = `(await import('${WATCHDOG}')).watchOver(1e6); setTimeout(() => console.log('alive'), 200)`
  const stdout = execFileSync(process.execPath, ['--input-type=module', '--eval', living], { encoding: 'utf8' })
  t.equal(stdout, 'alive\n')
})
