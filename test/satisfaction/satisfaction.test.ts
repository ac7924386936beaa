import t, { type Test } from 'tap'
import { NEW_COURSE } from '../../schema/handoff.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { isToBeAsked, mailTo } from '../../src/satisfaction/rules.ts'
import { languageFor, languagesWith, textsIn } from '../../src/locales/list.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { fixedClock } from '../helper.ts'
import { ADA, FROM, mailServer, SUPPORT } from '../tickets/helper.ts'
import { site } from '../widget/helper.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const ASKING = { asks_satisfaction: true }

t.test('who is asked: who said something, where the account asks, and not twice in seven days', async (t) => {
  const at = '2026-01-08T00:00:00.000000Z'
  const ended = { channel: 'widget', status: 'closed', closed_at: at, course: { ...NEW_COURSE, began_at: at } } as const
  const asked = (more: object = {}, last: string | null = null, asks = true) =>
    isToBeAsked({ ...ended, ...more }, { asks, last })
  t.ok(asked())
  t.ok(asked({ channel: 'api' }))
  t.notOk(asked({}, null, false), 'where nobody asks')
  t.notOk(asked({ channel: 'console' }), 'who tries an agent out')
  t.notOk(asked({ channel: 'compatible' }), 'where a client keeps the conversation')
  t.notOk(asked({ course: NEW_COURSE }), 'who said nothing')
  t.notOk(asked({ status: 'open', closed_at: null }))
  t.notOk(asked({}, '2026-01-01T00:00:00.001000Z'))
  t.ok(asked({}, '2026-01-01T00:00:00.000000Z'), 'seven days later')
})

t.test('it is mailed to whom it may be, where it is still open and they are not there', async (t) => {
  const agent = { status: 'Active', behavior: { collectVisitorData: true } } as never
  const known = { agent, visitor: { email: ADA, verified: false }, isAsked: true, isThere: false, mayWrite: true }
  t.equal(mailTo(known), ADA)
  const lacking = [
    { isAsked: false }, { isThere: true }, { mayWrite: false }, { visitor: undefined }, { agent: undefined }
  ]
  for (const not of lacking) {
    t.equal(mailTo({ ...known, ...not }), undefined, JSON.stringify(not))
  }
  const unasked = { status: 'Active', behavior: { collectVisitorData: false } } as never
  t.equal(mailTo({ ...known, agent: unasked }), undefined, 'an address of a ticket was left for that')
  t.equal(mailTo({ ...known, agent: unasked, visitor: { email: ADA, verified: true } }), ADA)
})

t.test('a visitor of the API is asked once, beside how it ended and which version answered', async (t) => {
  const { me, at, id, conversation, say, clock, stores, user, settled } = await talkative(t)
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Ada' })).json().data.id
  const begun = async () => (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  const first = await begun()
  const rate = async (body: object, where = first) => await me.put(`/v1/conversations/${where}/satisfaction`, body)
  t.match((await rate({ score: 5 })).json().error, { code: 'not_asked' }, 'the account asks nobody')
  await me.put('/v1/business', ASKING)
  await me.post(`/v1/conversations/${first}/messages`, { text: QUESTION })
  t.match((await rate({ score: 5 })).json().error, { code: 'not_asked' }, 'it goes on')
  await me.post(`/v1/conversations/${first}/close`, { resolved: true })
  const list = async (query = '') => (await me.get(`/v1/satisfaction${query}`)).json().data
  t.strictSame(await list(), [], 'what nobody answered is not listed')
  t.match((await rate({ score: 2, comment: 'Too slow. ' })).json().data, {
    conversation: first,
    episode: 1,
    score: 2,
    comment: 'Too slow.',
    outcome: 'resolved_confirmed',
    agent_version: 1,
    person: null,
    channel: 'api',
    language: 'en'
  })
  t.match((await rate({ score: 4 })).json().data, { score: 4, comment: '' }, 'said anew')
  for (const wrong of [{}, { score: 0 }, { score: 6 }, { score: 3.5 }, { score: 3, more: 1 }]) {
    t.equal((await rate(wrong)).statusCode, 400, JSON.stringify(wrong))
  }
  const second = await begun()
  await me.post(`/v1/conversations/${second}/messages`, { text: QUESTION })
  await me.post(`/v1/conversations/${second}/close`, {})
  t.match((await rate({ score: 1 }, second)).json().error, { code: 'not_asked' }, 'the same visitor, within seven days')
  clock.advance(8 * DAY_MS)
  const third = await begun()
  await me.post(`/v1/conversations/${third}/messages`, { text: QUESTION })
  await me.post(`/v1/conversations/${third}/takeover`, {})
  await me.post(`/v1/conversations/${third}/messages`, { text: 'Here I am.', role: 'person' })
  await me.post(`/v1/conversations/${third}/close`, {})
  t.match((await rate({ score: 5 }, third)).json().data, { outcome: 'handed_off', person: me.id })
  t.strictSame((await list()).map(({ conversation }: { conversation: string }) => conversation), [third, first], 'newest first')
  t.match(await list(`?conversation=${first}`), [{ score: 4 }])
  t.equal((await list(`?agent=${id}&limit=1`)).length, 1)
  t.strictSame((await (await user()).get('/v1/satisfaction')).json().data, [], 'another account sees nothing')
  await settled()
  const { total } = (await me.get('/v1/analytics')).json().data
  t.strictSame(total.satisfaction, { asked: 2, answers: 2, average: 4.5 })
  const { data: { parts } } = (await me.get('/v1/analytics/parts')).json()
  t.match(parts.find(({ value }: { value: string }) => value === 'en'), {
    episodes: 3, satisfaction: { answers: 2, average: 4.5 }
  })
  const kept = stores.db.raw.prepare('select sealed from satisfactions where score = 4').pluck()
  t.equal(kept.get(), null)
  await rate({ score: 4, comment: 'Nearly perfect' }, third)
  t.notMatch(String(stores.db.raw.prepare('select sealed from satisfactions where sealed is not null').pluck().get()), 'perfect', 'sealed')
  const exported = await me.get(`/v1/visitors/${visitor}/export`)
  t.match(exported.body, /Nearly perfect/)
  await me.delete(`/v1/conversations/${third}`)
  await settled()
  t.equal((await list()).length, 1, 'it goes with the conversation')
  t.match([at, conversation, say], [/conv_/, /conv_/, Function])
})

/** A visitor in a widget whose conversation a person has closed. */
async function closedInWidget (t: Test, env: Record<string, string> = {}, agent: object = {}) {
  const built = await site(t, env, agent, { clock: fixedClock(Date.UTC(2026, 0, 1, 12)) })
  const { me, visit, begin, stores } = built
  await me.put('/v1/business', ASKING)
  const visitor = await visit()
  return {
    ...built,
    visitor,
    async close () {
      const chat = await begin(visitor)
      await chat.say(QUESTION)
      await stores.conversations.talk.runs.ended(chat.conversation)
      await me.post(`/v1/conversations/${chat.conversation}/close`, {})
      return chat.conversation
    }
  }
}

t.test('a widget asks its own visitor, until they have answered', async (t) => {
  const { visitor, visit, close, me } = await closedInWidget(t)
  const at = `/v1/widget/conversations/${await close()}`
  const asks = async () => (await visitor.get(at)).json().data.asks
  t.strictSame(await asks(), { rating: true })
  t.equal((await (await visit()).post(`${at}/satisfaction`, { score: 1 })).statusCode, 404, 'nobody else')
  const given = await visitor.post(`${at}/satisfaction`, { score: 3, comment: 'It was fine.' })
  t.equal(given.statusCode, 202, given.body)
  t.equal(await asks(), undefined)
  t.match((await me.get('/v1/satisfaction')).json().data, [{ score: 3, comment: 'It was fine.', channel: 'widget' }])
  const next = await close()
  t.equal((await visitor.get(`/v1/widget/conversations/${next}`)).json().data.asks, undefined, 'not twice in seven days')
  t.match((await visitor.post(`/v1/widget/conversations/${next}/satisfaction`, { score: 1 })).json().error, { code: 'not_asked' })
})

t.test('who left an address and is gone is asked by mail, and answers on a page without signing in', async (t) => {
  const server = await mailServer(t)
  const { visitor, close, me, clock, settled, app, stores } = await closedInWidget(
    t,
    { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, AGENTHALL_BASE_URL: 'https://agents.example.com' },
    { behavior: { collectVisitorData: true, email: SUPPORT } }
  )
  await visitor.patch('/v1/widget/visitor', { name: 'Ada', email: ADA })
  await close()
  await settled()
  const mails = () => server.got.filter(({ to }) => to.includes(ADA)).map(({ mail }) => mail)
  t.strictSame(mails(), [], 'whoever is still there answers there')
  clock.advance(2 * MINUTE_MS)
  await settled()
  const [mail] = mails()
  t.match(mail?.subject, 'How was your conversation with Ada?')
  const link = /https:\/\/agents\.example\.com(\/rate\/rate_[\w-]{22})/.exec(mail?.text ?? '')?.[1]
  t.ok(link, 'with a link')
  const page = await app.inject(link!)
  t.equal(page.statusCode, 200)
  t.match(page.headers, { 'content-security-policy': /default-src 'none'.*form-action 'self'/, 'cache-control': 'no-store' })
  t.match(page.body, /How satisfied were you/)
  t.notMatch(page.body, /returns|<script/i, 'no word of what was said, and no script')
  const send = async (payload: string, url = link!) => await app.inject({
    method: 'POST', url, payload, headers: { 'content-type': 'application/x-www-form-urlencoded' }
  })
  t.match((await send('score=9&comment=x')).body, /<form/, 'what is no answer is asked for again')
  t.strictSame((await me.get('/v1/satisfaction')).json().data, [])
  t.match((await send('score=4&comment=Quick+%26+kind')).body, /Thank you/)
  t.match((await me.get('/v1/satisfaction')).json().data, [{ score: 4, comment: 'Quick & kind' }])
  t.match((await app.inject(link!)).body, /Thank you/)
  t.equal((await app.inject('/rate/rate_AAAAAAAAAAAAAAAAAAAAAA')).statusCode, 404)
  t.equal((await send('score=4', '/rate/nothing')).statusCode, 404)
  t.equal((await send(`score=4&comment=${'x'.repeat(40_000)}`)).statusCode, 413)
  clock.advance(2 * DAY_MS)
  await settled()
  t.equal(mails().length, 1, 'once')
  const { conversation } = (await me.get('/v1/satisfaction')).json().data[0]
  const { give } = stores.satisfaction
  stores.satisfaction.give = async () => { throw new Refusal('unavailable', 'The tables are away.') }
  t.equal((await send('score=1')).statusCode, 503, 'what is not kept is not thanked for')
  stores.satisfaction.give = async (...args) => {
    await me.patch(`/v1/conversations/${conversation}`, { status: 'open' })
    return await give(...args)
  }
  t.match(await send('score=1'), { statusCode: 200, body: /<form/ }, 'it went on while the answer was on its way')
  t.match((await app.inject(link!)).body, /no longer open/)
  t.notMatch((await send('score=1')).body, /<form/)
  t.match((await me.get('/v1/satisfaction')).json().data, [{ score: 4 }])
})

t.test('who answered before the mail went out is not written to', async (t) => {
  const server = await mailServer(t)
  const { visitor, close, clock, settled } = await closedInWidget(
    t,
    { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM },
    { behavior: { collectVisitorData: true, email: SUPPORT } }
  )
  await visitor.patch('/v1/widget/visitor', { name: 'Ada', email: ADA })
  const conversation = await close()
  await visitor.post(`/v1/widget/conversations/${conversation}/satisfaction`, { score: 5 })
  clock.advance(2 * MINUTE_MS)
  await settled()
  t.strictSame(server.got, [])
})

t.test('words are in a visitor\'s language where there are any', async (t) => {
  t.equal(textsIn('de', 'satisfaction').send, 'Senden')
  t.equal(languageFor('xx', 'satisfaction'), 'en')
  t.equal(textsIn(null, 'satisfaction').send, 'Send')
  for (const language of languagesWith('satisfaction')) {
    const words = textsIn(language, 'satisfaction')
    t.equal(languageFor(language, 'satisfaction'), language)
    t.match([words.subject, words.letter], [/\{\{name\}\}/, /\{\{link\}\}/])
  }
})
