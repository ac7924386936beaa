import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { site } from './helper.ts'

/** A conversation that a person has answered, as its visitor reads it. */
async function answered (t: Parameters<typeof site>[0], business: object = {}) {
  const { begin, visit, me } = await site(t, {}, { behavior: { expertHandoff: true } })
  await me.put('/v1/business', business)
  const visitor = await visit()
  const { at, conversation, say } = await begin(visitor)
  await say(QUESTION)
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'Hello', role: 'person' })
  const messages = (await visitor.get(`${at}/messages`)).json().data as Array<{ role: string, person_name: string | null }>
  return {
    conversation: (await visitor.get(at)).json().data as { person_name: string | null, person?: unknown },
    named: messages.filter(({ role }) => role === 'person').map(({ person_name: name }) => name),
    others: messages.filter(({ role }) => role !== 'person').map(({ person_name: name }) => name)
  }
}

t.test('a visitor reads what the person is called who answers, and nothing else of them', async (t) => {
  const { conversation, named, others } = await answered(t)
  t.equal(conversation.person_name, 'Somebody')
  t.notOk('person' in conversation)
  t.strictSame(named, ['Somebody'])
  t.ok(others.length > 0 && others.every((name) => name === null))
})

t.test('where the business says in words of its own that somebody has come, these say whether they are named', async (t) => {
  const silent = await answered(t, { notices: { taken: 'Our team is with you.' } })
  t.strictSame([silent.conversation.person_name, silent.named], [null, [null]])
  const naming = await answered(t, { notices: { taken: '{{name}} is with you.' } })
  t.strictSame([naming.conversation.person_name, naming.named], ['Somebody', ['Somebody']])
})
