import { readFileSync } from 'node:fs'
import t from 'tap'
import { joined } from '../../access/people.ts'
import { QUESTION, talkative } from '../../conversations/helper.ts'
import { REFUSALS } from '../../../src/platform/errors.ts'
import { codesOf } from './documented.ts'

const document = JSON.parse(readFileSync('openapi.json', 'utf8'))
const codes = Object.entries(REFUSALS).flatMap(([code, status]) => status === 409 && code !== 'conflict' ? [code] : [])

// Was wrong: 34 operations answered 409 with the one code `conflict`, and 9 of them without mention in the document.
t.test('the document names every code of a 409 where it can be answered, and none that says nothing', async (t) => {
  const listed = Object.values<Record<string, { responses: Record<string, object> }>>(document.paths)
    .flatMap((of) => Object.values(of))
    .flatMap(({ responses }) => codesOf(document, responses[409]))
  t.strictSame([...new Set(listed)].toSorted(), codes.toSorted())
})

// The codes of responses are compared with the document by every client of test/helper.ts, in all tests.
t.test('what a conversation cannot do now has a code for each reason', async (t) => {
  const { me, at, id, say, stores, user, withSession } = await talkative(t)
  const codeOf = codes409(me)
  const answer = (await say(QUESTION)).json().data
  const [question] = (await me.get(`${at}/messages`)).json().data
  t.equal(await codeOf('POST', `${at}/messages/${question.id}/stop`), 'not_an_answer')
  t.equal(await codeOf('POST', `${at}/messages/${question.id}/regenerate`, {}), 'not_an_answer')
  t.equal(await codeOf('PUT', `${at}/messages/${question.id}/feedback`, { score: 1 }), 'not_an_answer')
  await me.post(`${at}/messages/${answer.id}/regenerate`, {})
  t.equal(await codeOf('POST', `${at}/messages/${answer.id}/regenerate`, {}), 'not_last_answer')
  t.equal(await codeOf('POST', `${at}/handoff`, {}), 'handoff_not_set_up')
  t.equal(await codeOf('DELETE', `${at}/handoff`), 'not_waiting')
  t.equal(await codeOf('POST', `${at}/release`, {}), 'not_taken_over')

  const colleague = await user()
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const theirs = codes409(await withSession(colleague.id, me.id))
  await me.post(`${at}/takeover`, {})
  t.equal(await theirs('POST', `${at}/takeover`, {}), 'taken_over')
  t.equal(await theirs('POST', `${at}/release`, {}), 'taken_over')
  t.equal(await theirs('POST', `${at}/messages`, { role: 'person', text: 'Hello' }), 'taken_over')

  await me.post(`${at}/close`, {})
  t.equal(await codeOf('POST', `${at}/handoff`, {}), 'conversation_closed')
  await me.put(`/v1/agents/${id}`, { status: 'Inactive' })
  t.equal(await codeOf('POST', `${at}/messages`, { text: QUESTION }), 'agent_inactive')
})

t.test('what else cannot be now has a code for what to do about it', async (t) => {
  const { me, id } = await talkative(t)
  const codeOf = codes409(me)
  const folders = `/v1/agents/${id}/knowledge_folders`
  const made = async (name: string, parent?: number) =>
    (await me.post(folders, { name, ...(parent !== undefined && { parent }) })).json().data as { id: number }
  const shop = await made('Shop')
  const prices = await made('Prices', shop.id)
  const root = (await me.get(folders)).json().data.find(({ parent }: { parent: number | null }) => parent === null)
  t.equal(await codeOf('POST', folders, { name: 'Shop' }), 'taken')
  t.equal(await codeOf('PUT', `${folders}/${shop.id}`, { parent: prices.id }), 'folder_cycle')
  t.equal(await codeOf('PUT', `${folders}/${root.id}`, { parent: shop.id }), 'root_folder')
  t.equal(await codeOf('DELETE', `${folders}/${root.id}`), 'root_folder')

  t.equal(await codeOf('PATCH', `/v1/members/${me.id}`, { role: 'expert' }), 'last_owner')
  for (let n = 0; n < 20; n++) await me.post(`/v1/agents/${id}/widget_keys`, {})
  t.equal(await codeOf('POST', `/v1/agents/${id}/widget_keys`, {}), 'limit_reached')
  t.equal(await codeOf('POST', '/v1/links/request', { email: 'ada@example.com' }), 'mail_not_set_up')
})

/** Sends a request, and returns the code of its 409. */
function codes409 (as: ReturnType<Awaited<ReturnType<typeof talkative>>['sending']>) {
  return async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) => {
    const answer = await {
      POST: as.post, PUT: as.put, PATCH: as.patch, DELETE: as.delete
    }[method](url, body)
    return answer.statusCode === 409 ? answer.json().error.code : `${answer.statusCode} ${answer.body}`
  }
}
