import t from 'tap'
import type { Citation } from '../../../schema/conversations.ts'
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

// Was wrong: the title and the address of a page stood in a message as often as it was cited, 150 bytes and more each.
t.test('a page that is cited again takes 40 bytes beside the text, whatever its title and address', async (t) => {
  const { say, at, me, stores: { conversations: { store }, db: { raw } }, conversation } = await talkative(t)
  await say(QUESTION)
  const [, { id }] = (await me.get(`${at}/messages`)).json().data
  const answer = (await store.message(me.id, conversation, id))!
  const sealed = () => raw.prepare<[], number>('select length(sealed) from messages where seq = 2').pluck().get()!
  for (const [title, url] of [
    ['Returns', null],
    ['Returns, refunds and exchanges of goods that were bought by telephone', `https://shop.example/${'help/'.repeat(60)}`],
    ['Rücksendungen, Erstattungen und Umtausch von Waren aus unserem Geschäft', 'https://shop.example/rücksendungen'],
    ['当店でお買い上げいただいた商品の返品・交換・返金に関するご案内', 'https://shop.example/返品']
  ] as const) {
    const cited = (n: number, more: Partial<Citation> = {}): Citation => ({
      ...answer.citations[0]!, n, title, url, page: n, start: n, end: n + 9, quote: answer.text.slice(n, n + 9), ...more
    })
    const keep = async (citations: Citation[]) => {
      await store.change(me.id, conversation, {}, ({ conversation: kept }) => settled({
        conversation: kept, messages: [{ ...answer, citations }], events: []
      }))
      t.strictSame((await store.message(me.id, conversation, answer.id))?.citations, citations)
      return sealed()
    }
    const once = await keep([cited(1)])
    const others = [{ title: 'Another' }, { url: 'https://shop.example/another' }]
    await keep([cited(1), ...others.map((one, i) => cited(2 + i, one)), cited(4)])
    const each = (await keep([1, 2, 3, 4].map((n) => cited(n))) - once) / 3
    t.comment(`${title}: ${each} bytes`)
    t.ok(each <= 40, `${each} bytes`)
  }
})
