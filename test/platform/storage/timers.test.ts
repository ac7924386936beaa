import { copyFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { dataFile } from '../../../src/data-file.ts'
import { build, fixedClock } from '../../helper.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

t.test('conversations of 0.4.0 are followed up, closed and removed in time as new ones are', async (t) => {
  // Was wrong: only a conversation that was begun by a program with these timers had them. Those of 0.4.0 stayed open
  // indefinitely, and nobody was followed up.
  const directory = t.testdir({})
  copyFileSync(path.join(import.meta.dirname, '../../fixtures/databases/0.4.0.db'), dataFile(directory))
  // Its conversations took place from 15:07:26 to 15:07:29, one of them was closed, one is empty.
  const clock = fixedClock(Date.UTC(2026, 10, 23, 15, 20))
  const { stores, withSession, settled } = await build(t, {}, { directory, clock })
  const { get } = await withSession(1)
  const list = async () => (await get('/v1/conversations')).json().data as Array<Record<string, any>>
  const [unsaid, closed, open, first] = await list()
  t.match([unsaid, closed, open, first].map((one) => [one!.status, one!.messages]), [
    ['open', 0], ['closed', 2], ['open', 4], ['open', 2]
  ])
  const saidIn = async ({ id }: Record<string, any>) => (await get(`/v1/conversations/${id}/messages`)).json().data
    .filter((one: Record<string, any>) => one.answered_by === 'canned').map(({ text }: { text: string }) => text)
  const after = async (ms: number) => {
    clock.advance(ms)
    await settled()
    return await Promise.all([unsaid, closed, open, first].map(async (one) => (await saidIn(one!)).length))
  }

  // The agent follows up after 60 and 120 minutes.
  t.strictSame(await after(0), [0, 0, 0, 0])
  t.strictSame(await after(48 * MINUTE_MS), [0, 0, 1, 1])
  t.strictSame(await saidIn(first!), ['Are you still there?'])
  t.strictSame(await after(60 * MINUTE_MS), [0, 0, 2, 2])
  t.strictSame((await list()).map(({ status }) => status), ['open', 'closed', 'open', 'open'])
  // A day after the last message.
  await after(25 * HOUR_MS)
  t.strictSame((await list()).map(({ status }) => status), ['open', 'closed', 'closed', 'closed'], 'one without a word stays')
  // The agent keeps conversations for 30 days.
  clock.advance(30 * 24 * HOUR_MS)
  await settled()
  t.strictSame((await (await withSession(1)).get('/v1/conversations')).json().data, [])
  t.equal(stores.db.raw.prepare('select count(*) from messages').pluck().get(), 0)
})
