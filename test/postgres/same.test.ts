import t from 'tap'
import { everyRead } from '../platform/storage/reads.ts'
import { site } from '../widget/helper.ts'
import { emptyDatabase } from './database.ts'

/** What differs each time: ids, secrets, digests and how long something took. */
const CHANCE = /(?:question|webhook)-[\da-f]{16}|T\d\d:\d\d:\d\d\.\d{6}(?:Z|\+00:00)|\b(?:conv|msg|tkt|vis|ans|att|run|call|evt|dlv|whsec|agw|agh|sess)_[\w-]+|"[\w+/=-]{20,}"|\b[\da-f-]{32,64}\b|"\w*(?:_ms|seconds|etag|size|version|cursor|hint)":\s*"?[^",}]+"?/g

/** A day of a shop: its training, the questions, who answers, what is changed and what is removed. */
async function day (t: import('tap').Test, database: string): Promise<Array<[string, number, string]>> {
  const { visit, begin, me, id, settled } = await site(t, { AGENTHALL_DATABASE: database })
  const seen: Array<[string, number, string]> = []
  const note = (what: string, { statusCode, body }: { statusCode: number, body: string }) =>
    seen.push([what, statusCode, body.replaceAll(CHANCE, '…')])
  const a = `/v1/agents/${id}`
  note('faq', await me.post(`${a}/knowledge_sources`, { faq: [{ question: 'Do you ship abroad?', answer: 'Yes, to Norway.' }], title: 'Shipping' }))
  await settled()
  note('folder', await me.post(`${a}/knowledge_folders`, { name: 'Prices' }))
  note('business', await me.put('/v1/business', { name: 'Shop', address: 'High Street 1' }))
  const page = await visit()
  const { conversation, ask } = await begin(page)
  for (const text of ['How many days do I have for returns?', 'Do you ship abroad?', 'What is love?', 'A human, please']) {
    seen.push([text, 0, await ask(text)])
  }
  await settled()
  const c = `/v1/conversations/${conversation}`
  note('take', await me.post(`${c}/takeover`))
  note('reply', await me.post(`${c}/messages`, { text: 'Here I am.' }))
  note('note', await me.post(`${c}/notes`, { text: 'They are kind.' }))
  note('tags', await me.patch(c, { tags: ['kind', 'norway'] }))
  const ticket = (await me.post(`${c}/tickets`, { requester: { email: 'ada@example.com' }, subject: 'Returns' })).json().data?.id ?? 'tkt_none'
  note('close', await me.post(`${c}/close`, {}))
  note('question', await me.post(`${a}/questions`, { text: 'How many days?', expect: { says: ['30'] } }))
  note('version', await me.put(a, { description: 'Changed' }))
  note('webhook', await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['message.completed'] }))
  await settled()
  const all = everyRead({ id, visitor: page.session.visitor.id, conversation, ticket })
  // Backups are checked elsewhere.
  for (const address of all.filter((one) => !one.startsWith('/v1/going_live'))) {
    note(address.replaceAll(CHANCE, '…'), await me.get(address))
  }
  note('export', await me.get(`/v1/visitors/${page.session.visitor.id}/export`))
  note('erase', await me.delete(`/v1/visitors/${page.session.visitor.id}`))
  note('gone', await me.delete(a))
  await settled()
  note('none', await me.get('/v1/agents'))
  return seen
}

t.test('clients see the same, whatever keeps the tables', async (t) => {
  const [inFile, inPostgres] = [await day(t, ''), await day(t, await emptyDatabase(t))]
  t.ok(inFile.length > 150, `${inFile.length} answers`)
  t.equal(inPostgres.length, inFile.length)
  for (const [at, [what, status, body]] of inFile.entries()) {
    t.strictSame(inPostgres[at], [what, status, body], what)
    t.ok(status < 500, `${what}: ${status}`)
  }
})
