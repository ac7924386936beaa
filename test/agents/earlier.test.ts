import t from 'tap'
import { AGENT_DEFAULTS } from '../../schema/agents.ts'
import { complete } from '../../schema/common.ts'
import { NEW_COURSE } from '../../schema/handoff.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'

// Was wrong: a field added to `behavior` made every older agent answer 500.
t.test('what was written before a field was there is read, listed, changed and talked to as by default', async (t) => {
  const { me, id, at, say, settled, stores: { db } } = await talkative(t)
  await say(QUESTION)
  db.raw.exec("update agents set appearance = '{}', behavior = '{}', model = '{}', gdpr_settings = '{}'")
  db.raw.exec("update conversations set course = '{}'")
  for (const url of [
    '/v1/agents', `/v1/agents/${id}`, '/v1/conversations', at, `${at}/messages`, '/v1/analytics', '/v1/usage',
    `/v1/agents/${id}/analytics`, `/v1/agents/${id}/suggestions`, `/v1/agents/${id}/retention`
  ]) {
    const { statusCode, body } = await me.get(url)
    t.equal(statusCode, 200, `${url}: ${body.slice(0, 200)}`)
  }
  t.match((await me.get(`/v1/agents/${id}`)).json().data, AGENT_DEFAULTS)
  t.equal((await me.put(`/v1/agents/${id}`, { behavior: { guidelines: { dos: ['Be kind.'] } } })).statusCode, 200)
  t.match((await me.get(`/v1/agents/${id}`)).json().data.behavior.guidelines, { dos: ['Be kind.'], donts: [] })
  t.equal((await say(QUESTION)).statusCode, 201)
  t.equal((await me.patch(at, { status: 'closed' })).statusCode, 200)
  await settled()
})

t.test('what was written stands, and what it lacks is as by default, within objects too', async (t) => {
  t.strictSame(complete(NEW_COURSE, { unknowns: 2 }), { ...NEW_COURSE, unknowns: 2 })
  const { appearance } = AGENT_DEFAULTS
  t.strictSame(
    complete(appearance, { chatbotName: 'Ada', avatar: { src: 'a' } as never }),
    { ...appearance, chatbotName: 'Ada', avatar: { type: 'default', src: 'a' } }
  )
  t.equal(complete<{ hours: object | null }>({ hours: { from: 1 } }, { hours: null }).hours, null)
  t.strictSame(complete({ list: [1] }, { list: [] }), { list: [] }, 'lists are replaced')
})
