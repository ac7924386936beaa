import t from 'tap'
import type { DomainEvent } from '../../../src/platform/work/event-bus.ts'
import { talkative, QUESTION } from '../../conversations/helper.ts'
import { build, draft } from '../../helper.ts'

/** What is announced from now on, in short. */
function heard (eventBus: Awaited<ReturnType<typeof build>>['stores']['eventBus']) {
  const all: DomainEvent[] = []
  eventBus.on('all', function * (happened) { all.push(happened) })
  return {
    all,
    types: () => all.splice(0).map(({ type, data }) => ('message' in data ? `${type} ${data.message.role}` : type))
  }
}

t.test('what happens in a conversation is announced with the change itself: its beginning, whole messages, judgements, its end', async (t) => {
  const { stores, me, id, at, say, settled, conversation } = await talkative(t)
  const { all, types } = heard(stores.eventBus)
  await me.post(`/v1/agents/${id}/conversations`, {})
  t.match(all, [{ type: 'conversation.created', owner: me.id, agent: id, data: { conversation: { channel: 'api' } } }])
  t.same(types(), ['conversation.created'])
  await say(QUESTION)
  const { id: answer } = (await me.get(`${at}/messages`)).json().data.at(-1)
  await settled()
  t.match(all, [
    { data: { conversation: { id: conversation }, message: { text: QUESTION } } },
    { data: { message: { id: answer, status: 'complete' } } }
  ])
  t.same(types(), ['message.completed visitor', 'message.completed agent'])
  await me.put(`${at}/messages/${answer}/feedback`, { score: -1, comment: 'No.' })
  t.match(all, [{ data: { message: { feedback: { score: -1, comment: 'No.' } } } }])
  t.same(types(), ['feedback.given agent'])
  await me.patch(at, { subject: 'Returns' })
  await me.patch(at, { status: 'closed' })
  await me.patch(at, { status: 'closed' })
  t.same(types(), ['message.completed system', 'conversation.closed'], 'once, with its notice')
  await me.patch(at, { status: 'open' })
  t.same(types(), ['conversation.reopened', 'message.completed system'])
  await me.delete(at)
  t.match(all, [{ owner: me.id, agent: id, data: { conversation: { id: conversation, subject: '' } } }], 'no words of it')
  t.same(types(), ['conversation.deleted'])
})

t.test('a listener that refuses undoes what happened, and what it wrote', async (t) => {
  const { stores, me, id } = await talkative(t)
  stores.eventBus.on('all', function * ({ type, owner, agent }) {
    if (type !== 'conversation.created') return
    stores.db.raw.prepare('update agents set description = ? where id = ?').run(`${owner}`, agent)
    throw new Error('no')
  })
  t.equal((await me.post(`/v1/agents/${id}/conversations`, {})).statusCode, 500)
  t.match((await me.get(`/v1/agents/${id}`)).json().data, { conversations: 1, description: '' })
})

t.test('sources announce how their training ended, and pages of a site nothing', async (t) => {
  const { stores, user, settled } = await build(t)
  const me = await user()
  const { types, all } = heard(stores.eventBus)
  const { id } = (await me.post('/v1/agents', draft)).json().data
  const [source] = (
    await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: 'Returns within 30 days.' })
  ).json().data
  await settled()
  t.match(all, [{ owner: me.id, agent: id, data: { source: { id: source.id, training_status: 'Success' } } }])
  t.same(types(), ['source.trained'])
  await me.post(`/v1/agents/${id}/knowledge_sources`, { urls: ['http://127.0.0.1:9/'] })
  await settled()
  t.match(all.at(-1), { type: 'source.failed', data: { source: { error: { code: 'address_refused' } } } })
  t.same(types(), ['source.failed'])
  stores.db.raw.prepare('update knowledge_sources set parent_id = ? where id = ?').run(source.id, source.id)
  await me.post(`/v1/agents/${id}/knowledge_sources/${source.id}/train`)
  await settled()
  t.same(types(), [])
})
