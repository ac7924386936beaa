import '../bare-children.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openStores } from '../../src/stores.ts'

/** The program on a data directory with an agent that knows about returns. */
async function program (t: Test) {
  const data = path.join(t.testdir({}), 'data')
  async function call (args: string[], { input = '', env = {} }: { input?: string, env?: Record<string, string> } = {}) {
    const out: string[] = []
    const notes: string[] = []
    const { exitCode, server } = await run(args, {
      env: { AGENTHALL_DATA: data, AGENTHALL_LOG_LEVEL: 'silent', ...env },
      out: (text) => out.push(`${text}\n`),
      write: (text) => out.push(text),
      note: (text) => notes.push(text),
      input: Readable.from([input])
    })
    return { exitCode, out: out.join(''), notes: notes.join('\n'), server }
  }
  await call(['users', 'create', '--name', 'Ada'])
  await call([
    'agents', 'create', '--name', 'Shop', '--prompt', 'You help.', '--set',
    'behavior.suggestions=["How do I return something?"]'
  ])
  await call(['knowledge', 'add', '--agent', '1', '--text', 'Returns are accepted within 30 days of delivery.'])
  return { call, data }
}

/** A model provider that only says whether a key is valid. */
async function provider (t: Test): Promise<string> {
  const server = createServer((request, reply) => {
    reply.writeHead(request.headers.authorization === 'Bearer right' ? 200 : 401).end('{"data":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

t.test('chat answers one question with its sources under it', async (t) => {
  const { call } = await program(t)
  const answered = await call(['chat', '--agent', '1', 'How', 'long', 'can', 'I', 'return', 'something?'])
  t.equal(answered.exitCode, 0, answered.notes)
  t.match(
    answered.out,
    /AI assistant\.\n\nReturns are accepted within 30 days of delivery\. \[1\]\n {2}\[1\] Returns are accepted/
  )
  const json = JSON.parse((await call(['chat', '--agent', '1', '--json', 'Who won the cup?'])).out)
  t.match(json, { role: 'agent', status: 'complete', citations: [], suggestions: ['How do I return something?'] })
})

t.test('ask answers one question and leaves, for scripts as JSON', async (t) => {
  const { call } = await program(t)
  const { exitCode, out } = await call(['ask', '1', 'How', 'long', 'can I return something?', '--json'])
  t.equal(exitCode, 0)
  t.match(JSON.parse(out), { role: 'agent', text: /within 30 days of delivery\. \[1\]/, citations: [{ n: 1 }] })
  t.match(await call(['ask', '7', 'Hello?']), { exitCode: 1, notes: /no agent 7/ })
})

t.test('chat reads lines until they end or one is empty, and offers what can be asked', async (t) => {
  const { call } = await program(t)
  const talked = await call(['chat', '--agent', '1'], { input: 'Hello\nWho won the cup?\n' })
  t.match(talked.notes, /Talking to agent 1/)
  t.match(talked.out, /How can I help you\?/)
  t.match(talked.out, /I do not know.*\n {2}→ How do I return something\?\n$/s)
  t.notMatch((await call(['chat', '--agent', '1'], { input: '\nHello\n' })).out, /help you/)
})

t.test('chat with an agent that is not there says so', async (t) => {
  const { call } = await program(t)
  t.match(await call(['chat', '--agent', '9', 'Hello']), { exitCode: 1, notes: 'There is no agent 9.' })
  t.match(await call(['chat', '--agent', 'x', 'Hello']), { exitCode: 1, notes: /agent must be a number/ })
  t.equal((await call(['chat', 'Hello'])).exitCode, 2)
})

t.test('models and doctor say which models there are, from where, and whether they answer', async (t) => {
  const { call, data } = await program(t)
  const url = await provider(t)
  t.match((await call(['models'])).out, /There are no language models/)
  t.match((await call(['doctor'])).out, /models +ok +no language model/)
  const right = { AGENTHALL_MODEL_URL: url, AGENTHALL_MODEL_KEY: 'right' }
  t.match((await call(['models'], { env: right })).out, new RegExp(`\\*.*AGENTHALL_MODEL_URL.*${url}.*yes`))
  t.match((await call(['doctor'], { env: right })).out, /AGENTHALL_MODEL_URL: answers/)
  const stores = await openStores({ directory: data, clock: systemClock() })
  await stores.modelProviders.add(
    1,
    { name: 'Ours', provider: 'openai-compatible', url: 'https://models.invalid/v1', models: ['our-*'] },
    undefined
  )
  await stores.close()
  t.match((await call(['models'], { env: right })).out, /our-\* +account 1, provider 1 .*no: /)
  const wrong = { ...right, AGENTHALL_MODEL_KEY: 'wrong' }
  t.match((await call(['models'], { env: wrong })).out, /no: .*does not accept the key/)
  const told = await call(['doctor'], { env: wrong })
  t.match(told, { exitCode: 1, out: /models +WRONG +AGENTHALL_MODEL_URL: .*does not accept the key/ })
  t.match(JSON.parse((await call(['models', '--json'], { env: wrong })).out).slice(0, 1), [
    { models: ['*'], from: 'AGENTHALL_MODEL_URL', answers: false }
  ])
  t.match(
    (await call(['doctor'], { env: { AGENTHALL_MODELS: '/nowhere.json' } })).out,
    /models +WRONG +AGENTHALL_MODELS names/
  )
})

t.test('the first start says how to add a model, unless there is one', async (t) => {
  const start = async (env: Record<string, string>) => {
    const notes: string[] = []
    const { server } = await run(['serve', '--port', '0'], {
      env: {
        AGENTHALL_DATA: path.join(t.testdir({}), `data-${Object.keys(env).length}`),
        AGENTHALL_LOG_LEVEL: 'silent',
        ...env
      },
      out () {},
      note: (text) => notes.push(text)
    })
    await server!.close()
    return notes.join('\n')
  }
  t.match(await start({}), /start with AGENTHALL_OPENAI_KEY=/)
  t.notMatch(await start({ AGENTHALL_OPENAI_KEY: 'sk-x' }), /start with AGENTHALL_OPENAI_KEY=/)
})
