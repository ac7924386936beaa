import '../bare-children.ts'
import path from 'node:path'
import t, { type Test } from 'tap'
import { connect } from '../../src/platform/storage/sqlite/connect.ts'
import { run } from '../../src/cli/index.ts'

/** The program on a data directory of its own. */
function program (t: Test) {
  const data = path.join(t.testdir({}), 'data')
  async function call (...args: string[]) {
    const out: string[] = []
    const notes: string[] = []
    const { exitCode } = await run(args, {
      env: { AGENTHALL_DATA: data, AGENTHALL_LOG_LEVEL: 'silent' },
      out: (text) => out.push(text),
      note: (text) => notes.push(text)
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n') }
  }
  return { call, data }
}

t.test('what the operator does by the command line stands in the audit log of its account', async (t) => {
  const { call } = program(t)
  await call('users', 'create', '--name', 'Ada', '--email', 'ada@example.com')
  await call('audit', 'list').then(({ out }) => t.match(out, 'The audit log has no such events'))
  const steps: Array<[args: string[], action: string, target: string]> = [
    [['agents', 'create', '--name', 'Shop', '--prompt', 'You help.'], 'createAgent', 'agents/1'],
    [['agents', 'update', '1', '--status', 'Inactive'], 'updateAgent', 'agents/1'],
    [['agents', 'update', '1', '--status', 'Active'], 'updateAgent', 'agents/1'],
    [['knowledge', 'add', '--agent', '1', '--text', 'We open at nine.'], 'addKnowledgeSources', 'agents/1/knowledge_sources'],
    [['knowledge', 'retrain', '--agent', '1', '1'], 'trainKnowledgeSource', 'agents/1/knowledge_sources/1'],
    [['knowledge', 'folders', '--agent', '1', '--add', 'Old'], 'changeKnowledgeFolders', 'agents/1/knowledge_folders'],
    [['knowledge', 'remove', '--agent', '1', '1'], 'deleteKnowledgeSource', 'agents/1/knowledge_sources/1'],
    [['keys', 'create', '--user', '1'], 'createApiKey', 'api_keys/2'],
    [['keys', 'revoke', '2'], 'revokeApiKey', 'api_keys/2'],
    [['members', 'invite', '--role', 'expert'], 'createInvitation', 'invitations/1'],
    [['users', 'update', '1', '--tier', 'pro'], 'updateAccount', 'account'],
    [['agents', 'delete', '1'], 'deleteAgent', 'agents/1']
  ]
  for (const [args, action, target] of steps) {
    t.match(await call(...args), { exitCode: 0 }, args.join(' '))
    const [newest] = JSON.parse((await call('audit', 'list', '--user', '1', '--json')).out)
    t.match(newest, { action, target, by: 'command_line', user: null }, args.join(' '))
  }
  t.match((await call('keys', 'revoke', '7')).exitCode, 1)
  const listed = await call('audit', 'list', '--target', 'api_keys/2')
  t.match(listed.out, /the command line +revokeApiKey +api_keys\/2/)
  t.notMatch(listed.out, 'agents/1')
})

t.test('audit verify says which log is not as it was written, and fails', async (t) => {
  const { call, data } = program(t)
  await call('users', 'create', '--name', 'Ada')
  for (const name of ['Shop', 'Desk']) await call('agents', 'create', '--name', name, '--prompt', 'You help.')
  t.match(await call('audit', 'verify'), { exitCode: 0, out: /intact/ })
  const raw = connect(path.join(data, 'agenthall.db'))
  raw.exec("update audit_events set action = 'getAgent' where id = 1")
  raw.close()
  t.match(await call('audit', 'verify', '--user', '1'), {
    exitCode: 1, out: /Event 1 was changed/, notes: /The audit log of account 1 has been altered/
  })
})
