import t from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'

t.test('what somebody of the team tries out is counted nowhere', async (t) => {
  const { me, id, stores, clock, settled } = await talkative(
    t, {}, { behavior: { expertHandoff: true, email: 'help@example.com', continuousLearning: true } }
  )
  await me.put('/v1/business', { asks_satisfaction: true, targets: { first_reply: 1, next_reply: 1 } })
  await me.put('/v1/me/duty', { on: true })

  /** Everything that may be counted of a conversation. */
  async function converse (draft: boolean) {
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, { draft })).json().data.id
    const at = `/v1/conversations/${conversation}`
    const answer = (await me.post(`${at}/messages`, { text: QUESTION })).json().data
    await me.put(`${at}/messages/${answer.id}/feedback`, { score: -1 })
    await me.post(`${at}/messages`, { text: 'What does the moon weigh in kilograms?' })
    await me.patch(at, { tags: ['vip'] })
    await me.post(`${at}/handoff`, {})
    clock.advance(61_000)
    await settled()
    await me.post(`${at}/takeover`, {})
    await me.post(`${at}/messages`, { text: 'Here I am.', role: 'person' })
    await me.post(`${at}/close`, { resolved: true })
    await me.put(`${at}/satisfaction`, { score: 5 })
    await me.post(`${at}/messages`, { text: QUESTION })
    await settled()
    return conversation
  }

  const counted = () => ['figures', 'figure_parts', 'satisfactions', 'reviews', 'candidates'].map((table) =>
    [table, stores.db.raw.prepare(`select coalesce(count(*), 0) from ${table}`).pluck().get()])
  const figures = async () => (await me.get('/v1/analytics')).json().data
  const nothing = counted()
  const before = await figures()
  const tried = await converse(true)
  t.match((await me.get(`/v1/conversations/${tried}`)).json().data, { channel: 'console', reply_due_at: null })
  t.strictSame(counted(), nothing)
  t.strictSame(await figures(), before)
  for (const part of ['language', 'channel', 'version', 'tag', 'person']) {
    t.strictSame((await me.get(`/v1/analytics/parts?by=${part}`)).json().data.parts, [], part)
  }
  t.strictSame((await me.get('/v1/satisfaction')).json().data, [])
  t.strictSame((await me.get('/v1/reviews')).json().data, [])
  t.strictSame((await me.get(`/v1/agents/${id}/suggestions`)).json().data, [])

  // Shown to count what the same conversation of a visitor amounts to: the test above looks at what there is.
  await converse(false)
  const { total } = await figures()
  t.match(total, {
    conversations: before.total.conversations + 1,
    feedback: { down: 1 },
    outcomes: { handed_off: 1 },
    reopened: 1,
    overdue: 1,
    satisfaction: { asked: 1, answers: 1, average: 5 }
  })
  for (const [table, n] of counted()) t.ok(Number(n) > 0, String(table))
})
