import t from 'tap'
import type { DecisionInput } from '../../../src/conversations/contract.ts'
import type { Decision } from '../../../src/conversations/life/decision.ts'
import { ANSWER, heldAnswers } from '../../../src/conversations/storage/held.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import { build, fixedClock } from '../../helper.ts'

const row = { owner: 1, number: 7, id: 'conv_1' }
const [none, some] = [{ generating: undefined }, { generating: { id: 'msg_2' } }] as unknown as [DecisionInput, DecisionInput]
const decided = (...messages: object[]) => ({ messages }) as unknown as Decision

t.test('an answer is held from its beginning to its end, and let go by the conversation that it is in', async (t) => {
  const done: unknown[] = []
  const held = heldAnswers({ * afterwards (task) { task(true) } }, {
    * hold (request) { done.push(['hold', request]) },
    * drop (kind, subject) { done.push(['drop', kind, subject]) },
    letGo: async (kind, subject) => { done.push(['let go', kind, subject]) },
    release: async () => { done.push(['release']) }
  })
  finish(held.note(row, none, decided({ id: 'msg_1', status: 'complete' }, { id: 'msg_2', status: 'generating' })))
  finish(held.note(row, some, decided({ id: 'msg_3', status: 'complete' })))
  await held.letGo('conv_2')
  await held.letGo('conv_1')
  await held.letGo('conv_1')
  finish(held.note(row, some, decided({ id: 'msg_2', status: 'complete' })))
  await held.release()
  t.strictSame(done, [
    ['hold', { kind: ANSWER, subject: 7, owner: 1, payload: { conversation: 'conv_1' } }],
    ['let go', ANSWER, 7],
    ['drop', ANSWER, 7],
    ['release']
  ])
})

// Was wrong: the process went on holding it, so that no other took it up, and the visitor waited for good.
t.test('an answer whose end the database did not take is let go of', async (t) => {
  const { stores: { db } } = await build(t)
  const clock = fixedClock()
  const jobs = jobsIn(db, clock, { ...alone(clock), isAlone: false })
  const held = heldAnswers(db, jobs)
  await db.atomically(() => held.note(row, none, decided({ id: 'msg_2', status: 'generating' })))
  t.match(await jobs.queue.counts(), { running: 1, waiting: 0 })
  await t.rejects(db.atomically(function * () {
    yield * held.note(row, some, decided({ id: 'msg_2', status: 'complete' }))
    throw new Error('The server was cut off before the commit')
  }))
  await held.letGo('conv_1')
  t.match(await jobs.queue.counts(), { running: 0, waiting: 1 }, 'for whoever comes first')
})
