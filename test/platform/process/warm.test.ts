import t from 'tap'
import { openWarmSandbox, type SandboxError, type Step } from '../../../src/platform/process/sandbox.ts'
import '../../bare-children.ts'

const CHILD = new URL('../../../src/reading/child.ts', import.meta.url).href
/** A child that answers each message with its process and the message, and does as it is told. */
const ECHO = `
  const { messages } = await import('${CHILD}')
  const print = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
  for await (const message of messages(process.stdin)) {
    const text = message.toString()
    if (text === 'fall over') process.exit(1)
    if (text === 'loop') for (;;) {}
    if (text === 'end early') process.exit(0)
    print({ pid: process.pid, text: text.length > 100 ? text.length : text })
    if (text !== 'wait') print(null)
  }`

function step (input: Step['input'], more: Partial<Step> = {}): Step {
  return {
    command: [process.execPath, '--input-type=module', '-e', ECHO, '--'],
    input,
    memoryMiB: 160,
    deadlineMs: 30_000,
    maxOutput: 1e6,
    ...more
  }
}

type Said = { pid: number, text: unknown }

async function say (
  sandbox: ReturnType<typeof openWarmSandbox>, input: Step['input'], more: Partial<Step> = {}
): Promise<Said> {
  const all: unknown[] = []
  for await (const value of sandbox.run(step(input, more))) all.push(value)
  return all[0] as Said
}

t.test('one child does one step after the other, whatever the pieces of its input', async (t) => {
  // Was wrong: a process each, 6 short texts per second.
  const sandbox = openWarmSandbox()
  t.teardown(() => sandbox.close())
  const first = await say(sandbox, ['piece by ', Buffer.from('piece')])
  t.equal(first.text, 'piece by piece')
  t.same(await say(sandbox, []), { pid: first.pid, text: '' })
  t.same(
    await say(
      sandbox,
      (async function * () {
        for (let i = 0; i < 40; i++) yield Buffer.alloc(100_000, 'x')
      })()
    ),
    { pid: first.pid, text: 4e6 }
  )
})

t.test('a child that failed is not used again', async (t) => {
  const sandbox = openWarmSandbox()
  t.teardown(() => sandbox.close())
  const fails = async (input: string, more: Partial<Step> = {}) =>
    await say(sandbox, [input], more).then(
      () => 'none', (error: SandboxError) => error.code ?? error.message
    )
  const first = await say(sandbox, ['a'])
  t.equal(await fails('fall over'), 'crashed')
  t.equal(await fails('end early'), 'crashed')
  t.equal(await fails('loop', { deadlineMs: 1000 }), 'timeout')
  const second = await say(sandbox, ['b'])
  t.not(second.pid, first.pid)
  const broken = (async function * () { yield 'one'; throw new Error('the file is gone') })()
  await t.rejects(say(sandbox, broken), /the file is gone/)
  t.not((await say(sandbox, ['c'])).pid, second.pid)
})

t.test('a reader who has enough, and one who goes, end the child', async (t) => {
  const sandbox = openWarmSandbox()
  t.teardown(() => sandbox.close())
  const run = sandbox.run(step(['wait']))
  const { value } = await run.next() as { value: Said }
  await run.return()
  const stop = new AbortController()
  const stopped = sandbox.run(step(['wait'], { signal: stop.signal }))
  const { value: other } = await stopped.next() as { value: Said }
  t.not(other.pid, value.pid)
  stop.abort(new Error('shutting down'))
  await t.rejects(stopped.next(), /shutting down/)
})

t.test('a child that ended while nobody needed it is replaced', async (t) => {
  const sandbox = openWarmSandbox()
  t.teardown(() => sandbox.close())
  const first = await say(sandbox, ['a'])
  process.kill(first.pid, 'SIGKILL')
  const alive = () => { try { return process.kill(first.pid, 0) } catch { return false } }
  while (alive()) await new Promise(setImmediate)
  t.not((await say(sandbox, ['b'])).pid, first.pid)
  sandbox.close()
  t.equal((await say(sandbox, ['c'])).text, 'c', 'closed with nothing to do, it starts anew')
})

t.test('a child that has had nothing to do for a while is ended', async (t) => {
  const sandbox = openWarmSandbox(undefined, undefined, { idleMs: 1 })
  t.teardown(() => sandbox.close())
  const { pid } = await say(sandbox, ['a'])
  const alive = () => { try { return process.kill(pid, 0) } catch { return false } }
  while (alive()) await new Promise(setImmediate)
  t.not((await say(sandbox, ['b'])).pid, pid, 'the next step gets a new one')
})
