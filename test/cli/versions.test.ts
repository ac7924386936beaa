import t, { type Test } from 'tap'
import path from 'node:path'
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
  return { call, json: async (...args: string[]) => JSON.parse((await call(...args, '--json')).out) }
}

t.test('a draft is compared, published and taken back', async (t) => {
  const { call, json } = await program(t)
  t.equal((await call('agents', 'diff', '1')).out, 'Nothing is different.')
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
