import '../bare-children.ts'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { run } from '../../src/cli/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { changedVisitor, newVisitor } from '../../src/conversations/visitors/visitors.ts'
import { openFileStores } from '../../src/stores.ts'

t.test('operators preview retention, export a visitor, erase one, and read the receipts', async (t) => {
  const data = path.join(t.testdir({}), 'data')
  async function call (...args: string[]) {
    const said: string[] = []
    const { exitCode } = await run(args, {
      env: { AGENTHALL_DATA: data }, out: (text) => said.push(text), note: (text) => said.push(text)
    })
    return { exitCode, said: said.join('\n') }
  }
  await call('users', 'create', '--name', 'Ada')
  await call('agents', 'create', '--name', 'Shop', '--prompt', 'You help.')
  const id = `vis_${'v'.repeat(22)}`
  const at = '2026-01-01T00:00:00.000000Z'
  const stores = await openFileStores({ directory: data, clock: systemClock() })
  await stores.conversations.visitors.create(1, changedVisitor(newVisitor(id, 1, 1, at), { name: 'Ada' }, at))
  const conversation = (await stores.conversations.talk.begin(1, 1, 'api', { visitor: id }))!.answer
  await stores.conversations.ledger.note(1, {
    agent: 1,
    model: 'm',
    provider: 'openai',
    outcome: 'complete',
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    cost: null,
    first_ms: 1,
    total_ms: 1
  })
  stores.db.raw.prepare('update model_runs set conversation = 1').run()
  await stores.close()

  t.match(await call('privacy', 'preview', '1'), { exitCode: 0, said: /Nothing is removed/ })
  t.match(await call('privacy', 'preview', '1', '--days', '1'), { exitCode: 0, said: 'This removes nothing today.' })
  t.match(await call('privacy', 'preview', '9'), { exitCode: 1, said: /There is no agent 9/ })
  t.match(await call('privacy', 'preview', '1', '--days', '0'), { exitCode: 1, said: /days must be a number/ })
  t.match(await call('privacy', 'receipts'), { exitCode: 0, said: 'Nothing was removed yet.' })

  const to = path.join(path.dirname(data), 'ada.json')
  t.match(await call('privacy', 'export', id, '--to', to), { exitCode: 0, said: `Everything about ${id} is in ${to}.` })
  t.match(JSON.parse(readFileSync(to, 'utf8')), {
    visitor: { id, name: 'Ada' }, conversations: [{ id: conversation.id }]
  })
  t.equal(statSync(to).mode & 0o777, 0o600, 'only its owner may read it')
  t.match(await call('privacy', 'export', id, '--to', to), { exitCode: 1 }, 'nothing is overwritten')
  t.match(await call('privacy', 'export', 'vis_nobody', '--to', `${to}2`), {
    exitCode: 1, said: /no visitor vis_nobody/
  })

  t.match(await call('privacy', 'erase', id), { exitCode: 1, said: /--yes/ })
  t.match(await call('privacy', 'erase', id, '--yes'), {
    exitCode: 0, said: /is erased, with 1 conversations.*Receipt 1\.\nCopies may still be with: openai\./s
  })
  t.match(await call('privacy', 'erase', id, '--yes'), { exitCode: 1, said: /There is no visitor/ })
  t.match((await call('privacy', 'receipts', '--user', '1')).said, new RegExp(`erasure +1 +${id} +1 +0 +0 +1`))
})
