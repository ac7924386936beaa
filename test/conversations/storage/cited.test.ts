import t from 'tap'
import { QUESTION, talkative } from '../helper.ts'
import { settled } from '../../../src/platform/storage/work.ts'

// Was wrong: quotes were stored in the text and beside it, 254 to 298 bytes beside the text.
t.test('a cited answer takes few bytes beside its text, and its quote is what it was', async (t) => {
  const { say, at, me, stores: { conversations: { store }, db: { raw } }, conversation } = await talkative(t)
  await say(QUESTION)
  const [, { id, text, citations }] = (await me.get(`${at}/messages`)).json().data
  t.equal(citations.length, 1)
  const [{ quote, start, end, n, title }] = citations
  t.ok(text.includes(quote) && quote.length > 40)
  t.strictSame([end - start, n, title], [quote.length, 1, 'Returns'])
  const sealed = raw.prepare<[], number>('select length(sealed) from messages where seq = 2').pluck().get()!
  t.comment(`${sealed - Buffer.byteLength(text)} sealed bytes beside the text`)
  t.ok(sealed - Buffer.byteLength(text) <= 110, `${sealed - Buffer.byteLength(text)} sealed bytes`)
  const row = raw.prepare<[], Record<string, unknown>>('select * from messages where seq = 2').get()!
  const length = (value: unknown) => Buffer.isBuffer(value) ? value.length : Buffer.byteLength(String(value ?? ''))
  const beside = Object.values(row).reduce<number>((sum, value) => sum + length(value), -Buffer.byteLength(text))
  t.comment(`${beside} bytes beside the text, numbers counted as they are written`)
  t.ok(beside <= 150, `${beside} bytes`)

  // A quote that is not in the text word for word is stored itself.
  const other = { n: 2, source: 7, title: 'Other', url: null, page: 3, quote: 'Not in the answer', start: 5, end: 22, checked_at: null }
  const answer = (await store.message(me.id, conversation, id))!
  await store.change(me.id, conversation, {}, ({ conversation: kept }) => settled({
    conversation: kept, messages: [{ ...answer, citations: [...answer.citations, other] }], events: []
  }))
  t.strictSame((await store.message(me.id, conversation, answer.id))?.citations.at(-1), other)

  // When a source was checked is stored with the quote, wherever that is.
  const checked = '2026-05-03T00:00:00.000000Z'
  const all = [{ ...other, checked_at: checked }, { ...answer.citations[0]!, checked_at: checked }]
  await store.change(me.id, conversation, {}, ({ conversation: kept }) => settled({
    conversation: kept, messages: [{ ...answer, citations: all }], events: []
  }))
  t.strictSame((await store.message(me.id, conversation, answer.id))?.citations, all)
})
