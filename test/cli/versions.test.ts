import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openStores } from '../../src/stores.ts'
import { junitOf } from '../../src/checks/index.ts'
import { fixedClock } from '../helper.ts'
import { run } from '../../src/cli/index.ts'

/** The program on a data directory with an agent that keeps its changes in a draft. */
async function program (t: Test) {
  const data = path.join(t.testdir({}), 'data')
  async function call (...args: string[]) {
    const out: string[] = []
    const { exitCode } = await run(args, {
      env: { AGENTHALL_DATA: data }, out: (text) => out.push(text), note: (text) => out.push(text)
    })
    return { exitCode, out: out.join('\n') }
  }
  await call('users', 'create', '--name', 'Ada')
  await call(
    'agents', 'create', '--name', 'Shop', '--prompt', 'Be kind.\nBe brief.', '--set', 'publish_on_save=false'
  )
  return { data, call, json: async (...args: string[]) => JSON.parse((await call(...args, '--json')).out) }
}

t.test('a draft is compared, published and taken back', async (t) => {
  const { call, json } = await program(t)
  t.equal((await call('agents', 'diff', '1')).out, 'No differences.')
  await call('agents', 'update', '1', '--prompt', 'Be kind.\nBe exact.', '--set', 'model.temperature=0.2', '--set', 'translations.de={"buttonText":"Los"}')
  t.equal((await call('agents', 'diff', '1')).out, [
    'model.temperature', '  - 0.7', '  + 0.2',
    'systemPrompt', '    Be kind.', '  - Be brief.', '  + Be exact.',
    'translations.de', '  + {"buttonText":"Los"}'
  ].join('\n'))
  t.match((await call('agents', 'diff', '1', '--from', 'draft', '--to', '1')).out, /translations.de\n {2}- {"buttonText":"Los"}$/)
  t.match(await json('agents', 'diff', '1'), { from: 'live', to: 'draft', changes: [{ field: 'model.temperature' }, {}, {}] })
  t.match(await call('agents', 'publish', '1', '--note', 'Exact'), {
    exitCode: 0, out: 'Visitors are answered with version 2 of agent 1.'
  })
  t.match(await call('agents', 'publish', '1'), { exitCode: 1, out: /already/ })
  t.match((await call('agents', 'versions', '1')).out.split('\n'), [
    /^NUMBER {2}STATE +PUBLISHED +BY {2}NOTE$/, /^2 +live +2.* Exact$/, /^1 +previous/
  ])
  t.match(await call('agents', 'rollback', '1', '--note', 'Was better'), {
    exitCode: 0, out: 'Visitors are answered with version 3 of agent 1, which holds what version 1 holds.'
  }, 'without a number to the one before')
  t.match(await json('agents', 'rollback', '1', '2'), { number: 4, copy_of: 2 })
  t.match((await call('audit', 'list')).out, /publishVersion +agents\/1\/versions\/2\/publish/)
})

t.test('what is not there is said, with the command that shows what is', async (t) => {
  const { call } = await program(t)
  t.match(await call('agents', 'rollback', '1'), { exitCode: 1, out: /no version before 1 of agent 1; ".*agents versions 1"/ })
  t.match(await call('agents', 'rollback', '1', '7'), { exitCode: 1, out: /no version 7/ })
  t.match(await call('agents', 'rollback', '1', 'x'), { exitCode: 1, out: /must be a number/ })
  t.match(await call('agents', 'diff', '1', '--from', '7'), { exitCode: 1, out: /no version 7/ })
  t.match(await call('agents', 'diff', '1', '--to', 'x'), { exitCode: 1, out: /live or draft/ })
  t.match(await call('agents', 'publish', '7'), { exitCode: 1, out: /no agent 7/ })
})

t.test('a version that knew what is gone comes back, and says so', async (t) => {
  const { call } = await program(t)
  await call('knowledge', 'add', '--agent', '1', '--text', 'Zebra')
  await call('agents', 'update', '1', '--description', 'New')
  await call('agents', 'publish', '1')
  await call('knowledge', 'remove', '--agent', '1', '1')
  await call('agents', 'rollback', '1', '1')
  t.match((await call('agents', 'rollback', '1', '2')).out, /One source that it knew then is gone\.$/)
})

t.test('test questions are asked from a build: JUnit, an exit code, and a gate', async (t) => {
  const { data, call, json } = await program(t)
  t.match(await call('agents', 'check', '1'), { exitCode: 0, out: 'There are no test questions to ask.' })
  await call('knowledge', 'add', '--agent', '1', '--text', 'Returns are accepted within 30 days.')
  const stores = await openStores({ directory: data, clock: fixedClock() })
  const { store } = stores.checks
  await store.add(1, 1, { draft: { text: 'Hello', expect: { says: ['welcome "dear" <friend>'] } } })
  await store.add(1, 1, { draft: { text: 'What else?', expect: { unknown: true }, blocking: false } })
  await store.add(1, 1, { draft: { text: 'And more?', expect: { sources: [99] }, blocking: false } })
  await stores.close()
  const file = path.join(data, 'checks.xml')
  const failed = await call('agents', 'check', '1', '--draft', '--junit', file)
  t.equal(failed.exitCode, 1)
  t.match(failed.out, /QUESTION +VERDICT +TEXT +WHY/)
  t.match(failed.out, /1 of 3 blocking test questions did not pass\.$/)
  const xml = readFileSync(file, 'utf8')
  t.match(xml, /<testsuites tests="3" failures="1" errors="1"/)
  t.match(xml, /<failure type="fail" message="&quot;welcome &quot;dear&quot; &lt;friend&gt;&quot; is not in the answer\."/)
  t.match(xml, /<error type="error" message="Source 99 is gone/)
  t.match(xml, /<testcase name="2 What else\?" classname="agent 1" time="\d+\.\d{3}"\/>/)
  t.match(JSON.parse((await call('agents', 'check', '1', '--json')).out.split('\n')[0]!), { of: 'live', state: 'done' })

  await call('agents', 'update', '1', '--description', 'New')
  t.match(await call('agents', 'publish', '1'), { exitCode: 1, out: /did not pass/ })
  t.match(await call('agents', 'publish', '1', '--force'), { exitCode: 1, out: /--force needs --reason/ })
  t.match(await json('agents', 'publish', '1', '--force', '--reason', 'Outdated'), { number: 2, force_reason: 'Outdated' })
})

t.test('whatever is asked and said, JUnit is XML', async (t) => {
  const xml = junitOf({
    id: 1,
    agent: 1,
    created_at: '',
    results: [{
      question: 1, text: 'a\u0000\ud800<&>', verdict: 'fail', why: [{ code: 'said', message: '"\n\t' }], message: null, ms: 1
    }]
  } as never)
  t.match(xml, /name="1 a\uFFFD\uFFFD&lt;&amp;&gt;"/)
  t.match(xml, /message="&quot;&#10;&#9;"><\/failure>/)
})
