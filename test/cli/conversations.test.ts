import '../bare-children.ts'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { run } from '../../src/cli/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openStores } from '../../src/stores.ts'

t.test('operators list conversations, read one, export it and delete it', async (t) => {
  // Was wrong: there was no such command.
  const data = path.join(t.testdir({}), 'data')
  async function call (...args: string[]) {
    const said: string[] = []
    const out = (text: string) => { said.push(text) }
    const { exitCode } = await run(args, { env: { AGENTHALL_DATA: data }, out, note: out })
    return { exitCode, said: said.join('\n') }
  }
  for (const name of ['Ada', 'Bob']) await call('users', 'create', '--name', name)
  await call('agents', 'create', '--name', 'Shop', '--prompt', 'You help.', '--user', '2')
  t.match(await call('conversations', 'list'), { exitCode: 0, said: 'There are no conversations.' })
  const stores = await openStores({ directory: data, clock: systemClock() })
  const { talk } = stores.conversations
  const begin = async () => (await talk.begin(2, 1, 'api', {}))!.answer.id
  const [first, second] = [await begin(), await begin()]
  for (let i = 0; i < 60; i++) {
    await (
      await talk.say(2, first!, { text: `Question ${i}`, client_id: null, attachments: [] })
    )!.message
  }
  await stores.notes.add(2, first!, 2, 'Call them back')
  await stores.close()

  const listed = await call('conversations', 'list', '--json')
  t.strictSame(JSON.parse(listed.said).map(({ id }: { id: string }) => id), [second, first], 'newest first')
  t.match(
    await call('conversations', 'list', '--agent', '1', '--status', 'open'),
    { exitCode: 0, said: new RegExp(`${first} +2 +1 +open +agent`) }
  )
  t.match(await call('conversations', 'list', '--agent', '7'), { said: 'There are no conversations.' })
  t.match(
    await call('conversations', 'list', '--status', 'gone'),
    { exitCode: 1, said: /--status must be one of open, waiting, closed/ }
  )

  const read = await call('conversations', 'show', first!)
  t.match(
    read, { exitCode: 0, said: /agent 1, open, handled by agent[^]*visitor:\nQuestion 0[^]*visitor:\nQuestion 59/ }
  )
  t.match(
    await call('conversations', 'show', 'conv_nobody'), { exitCode: 1, said: /There is no conversation conv_nobody/ }
  )

  const to = path.join(path.dirname(data), 'talk.json')
  t.match(
    await call('conversations', 'export', first!, '--to', to),
    { exitCode: 0, said: `Everything of ${first} is in ${to}.` }
  )
  const { conversation } = JSON.parse(readFileSync(to, 'utf8'))
  t.match(conversation, { id: first, notes: [{ text: 'Call them back' }], tickets: [], attachments: [] })
  t.ok(conversation.messages.length >= 60)
  t.equal(statSync(to).mode & 0o777, 0o600)
  t.equal((await call('conversations', 'export', first!, '--to', to)).exitCode, 1, 'nothing is overwritten')

  t.match(await call('conversations', 'delete', first!), { exitCode: 1, said: /--yes/ })
  t.match(await call('conversations', 'delete', first!, '--yes'), { exitCode: 0, said: `${first} is deleted.` })
  t.match(await call('conversations', 'delete', first!, '--yes'), { exitCode: 1, said: /There is no conversation/ })
  t.match(JSON.parse((await call('conversations', 'list', '--json')).said), [{ id: second }])
})
