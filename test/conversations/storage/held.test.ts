import t from 'tap'
import type { DecisionInput } from '../../../src/conversations/contract.ts'
import type { Decision } from '../../../src/conversations/life/decision.ts'
import { ANSWER, heldAnswers } from '../../../src/conversations/storage/held.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'

t.test('an answer is held from its beginning to its end, and let go by the conversation that it is in', async (t) => {
  const done: unknown[] = []
  const held = heldAnswers({
    * hold (request) { done.push(['hold', request]) },
    * drop (kind, subject) { done.push(['drop', kind, subject]) },
    letGo: async (kind, subject) => { done.push(['let go', kind, subject]) },
    release: async () => { done.push(['release']) }
  })
  const row = { owner: 1, number: 7, id: 'conv_1' }
  const [none, some] = [{ generating: undefined }, { generating: { id: 'msg_2' } }] as unknown as [DecisionInput, DecisionInput]
  const decided = (...messages: object[]) => ({ messages }) as unknown as Decision
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
