import '../bare-children.ts'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { connect } from '../../src/platform/storage/sqlite/connect.ts'
import { build } from '../helper.ts'
import { multiply } from '../privacy/helper.ts'
import { agenthall, serving } from './helper.ts'

/** A data directory whose second user has an agent with this many conversations, and how many are left. */
async function crowd (t: Test, count: number) {
  const directory = path.join(t.testdir({ data: {} }), 'data')
  const built = await build(t, {}, { directory })
  await built.user({ name: 'Ada' })
  const bob = await built.user({ name: 'Bob' })
  const { id } = (await bob.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.' })).json().data
  const visitor = (await bob.post('/v1/visitors', { agent: id, name: 'Eve' })).json().data.id
  const talk = (await bob.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  await bob.post(`/v1/conversations/${talk}/messages`, { text: 'Hello' })
  multiply(built.stores.db.raw, id, count)
  await built.close()
  const raw = connect(dataFile(directory), { readonly: true })
  t.teardown(() => raw.close())
  const left = raw.prepare<[], number>('select count(*) from conversations').pluck()
  const command = (...args: string[]) => agenthall([...args, '--data', directory], { watched: true })
  return { directory, command, left: () => left.get()!, raw }
}

// Planted faults: the command ends when the user is hidden; it waits for the server alone.
t.test('a user is deleted beside a running server; when that is killed in the middle, the command removes the rest', async (t) => {
  const { directory, command, left, raw } = await crowd(t, 4000)
  const { server } = await serving(t, directory)
  const waiting = command('users', 'delete', '2', '--agents')
  while (left() > 3500) await pause(5)
  server.kill('SIGKILL')
  const some = left()
  t.ok(some > 0 && some < 4001, `${some} are left when it is killed`)
  t.match(await command('users', 'list'), { out: /Ada/ })
  t.notMatch(await command('users', 'list'), { out: /Bob/ })
  const { exitCode, out, progress } = await waiting
  t.strictSame([exitCode, out], [0, 'User 2 is deleted, with one agent.'])
  t.match(progress.find((text) => text !== ''), /^[\d,]+ conversations are still to be removed$/)
  t.equal(progress.at(-1), '', 'what was told of it is gone')
  t.equal(left(), 0)
  t.strictSame(raw.prepare('select id from users').pluck().all(), [1])
  t.equal(raw.prepare('select count(*) from doomed_secrets').pluck().get(), 0, 'and wiped')
})

t.test('an agent is deleted where no server runs, to the end', async (t) => {
  const { command, left } = await crowd(t, 300)
  t.match(await command('agents', 'delete', '1'), { exitCode: 0, out: 'Agent 1 (Shop) is deleted.' })
  t.equal(left(), 0)
  t.match(await command('agents', 'list'), { out: 'No agents found.' })
})
