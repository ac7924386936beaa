import { readFileSync } from 'node:fs'
import t from 'tap'
import { dataFile } from '../../../src/data-file.ts'
import { build } from '../../helper.ts'
import { QUESTION, talkative } from '../helper.ts'
import { fileAlone } from '../../postgres/database.ts'

type Built = Awaited<ReturnType<typeof talkative>>

/** What a search finds, by subject. */
const finding = ({ me }: Pick<Built, 'me'>) => async (search: string, more = '') => {
  const answer = await me.get(`/v1/conversations?search=${encodeURIComponent(search)}${more}`)
  return answer.json().data.map(({ subject }: { subject: string }) => subject) as string[]
}

/** A file as an older program left it: nothing says which words are where. */
const asBefore = ({ stores: { db: { raw } } }: Pick<Built, 'stores'>) =>
  raw.exec('delete from conversation_words; update conversations set indexed = 0; update visitors set words = null; delete from word_secrets')

/** Whether it has been indexed since. */
const isIndexed = async ({ stores: { conversations, db } }: Pick<Built, 'stores'>) =>
  !await db.read(() => conversations.words.hasUnindexed())

t.test('a search finds what stands behind hundreds of conversations that hold no match, and lets others in between', async (t) => {
  const built = await talkative(t)
  const { me, id, say } = built
  await say('Where do the okapis sleep?')
  for (let i = 0; i < 510; i++) await me.post(`/v1/agents/${id}/conversations`, { subject: `Number ${i}` })
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const { data, next_cursor: next } = (await me.get('/v1/conversations?search=okapis')).json()
  isOver = true
  t.strictSame([data.map(({ subject }: { subject: string }) => subject), next], [['Where do the okapis sleep?'], null])
  t.ok(turns >= 3, 'a turn for each 250 conversations')
  const find = finding(built)
  t.strictSame(await find('number 7'), ['Number 7'])
  const first = (await me.get('/v1/conversations?search=number&limit=3')).json()
  t.equal(first.data.length, 3)
  t.strictSame(await find('number', `&limit=2&cursor=${first.next_cursor}`), ['Number 506', 'Number 505'])
})

t.test('a search opens nothing of what was said', { skip: fileAlone }, async (t) => {
  const built = await talkative(t)
  const { say, stores: { db: { raw } } } = built
  await say(QUESTION)
  raw.exec('update messages set sealed = zeroblob(40)')
  t.strictSame(await finding(built)('original packaging'), [QUESTION], 'though no message can be read')
})

t.test('visitors are found by name, address, telephone number and external id, as they are now', async (t) => {
  const built = await talkative(t)
  const { me, id } = built
  const find = finding(built)
  const about = {
    agent: id, name: 'Zoë Quagga', email: 'zoe@shop.example', phone: '+49 30 1234567', external_id: 'cust-4711'
  }
  const visitor = (await me.post('/v1/visitors', about)).json().data.id
  await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: 'Hers' })
  for (const search of ['zoe quagga', 'ZOË', 'zoe@shop.example', '1234567', 'cust-4711', '4711 hers']) {
    t.strictSame(await find(search), ['Hers'], search)
  }
  t.strictSame(await find('4712'), [])
  t.equal((await me.patch(`/v1/visitors/${visitor}`, { name: 'Ada' })).statusCode, 200)
  t.strictSame([await find('quagga'), await find('ada')], [[], ['Hers']])
})

// Was wrong: somebody was found only once their whole name was typed.
t.test('people are found by the beginning of their first and last name, and what they write by whole words', async (t) => {
  const built = await talkative(t)
  const { me, id } = built
  const find = finding(built)
  for (const [n, name] of ['María Fernández', 'Łukasz Wiśniewski-Brzęczyszczykiewicz', 'سارة العتيبي'].entries()) {
    const visitor = (await me.post('/v1/visitors', { agent: id, name, email: 'someone@shop.example' })).json().data.id
    await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: `Grinder ${n}` })
  }
  for (const typed of ['ma', 'mar', 'María', 'FERN', 'fernande', 'maria fern', 'fern grinder']) {
    t.strictSame(await find(typed), ['Grinder 0'], typed)
  }
  for (const typed of ['luk', 'Łu', 'brzę', 'Wiśniewski Brz']) t.strictSame(await find(typed), ['Grinder 1'], typed)
  t.strictSame(await find('العت'), ['Grinder 2'])
  for (const typed of ['m', 'arí', 'fernx', 'grind', 'some', 'maria luk']) t.strictSame(await find(typed), [], typed)
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Nadine' })).json().data.id
  await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: 'Renamed' })
  await me.patch(`/v1/visitors/${visitor}`, { name: 'Walter' })
  t.strictSame([await find('nad'), await find('wal')], [[], ['Renamed']], 'as they are called now')
})

t.test('what a conversation is called now is found, in every script, and what is no word finds nothing', async (t) => {
  const built = await talkative(t)
  const { me, at, say } = built
  const find = finding(built)
  await me.patch(at, { subject: 'Первый заказ' })
  t.strictSame(await find('заказ'), ['Первый заказ'])
  await me.patch(at, { subject: '東京タワーの入場料' })
  t.strictSame([await find('заказ'), await find('入場料')], [[], ['東京タワーの入場料']])
  await me.patch(at, { subject: '' })
  t.strictSame([await find('入場料'), await find('?!')], [[], []])
  for (let i = 0; i < 20; i++) await say(`Do you know quagga${i}?`)
  t.equal((await find('quagga0 quagga19')).length, 1, 'words of messages far apart')
  t.equal((await find('quagga0 quagga20')).length, 0)
})

t.test('what an older program wrote is found before it is indexed, and is indexed in the background', async (t) => {
  const directory = t.testdir({})
  const built = await talkative(t, {}, {}, { directory })
  const { me, id, say, stores: { conversations, db } } = built
  const find = finding(built)
  for (let i = 0; i < 10; i++) await say(`Do you know quagga${i}?`)
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Zebedee' })).json().data.id
  await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: 'His' })
  asBefore(built)
  t.strictSame([(await find('quagga3')).length, await find('zebedee')], [1, ['His']], 'a search indexes what it meets')
  t.ok(await isIndexed(built))

  asBefore(built)
  await say('Where do the okapis sleep?')
  await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: 'His again' })
  t.notOk(await isIndexed(built), 'what is added to an older conversation does not make it indexed')
  for (let more = true, slices = 0; more; slices++) {
    more = await db.atomically(() => conversations.words.indexSome(0))
    if (!more) t.ok(slices > 5, 'a long conversation takes several slices')
  }
  t.strictSame([(await find('quagga9')).length, (await find('quagga0 okapis')).length], [1, 1])

  // Was wrong: what a slice had reached was believed although the database did not take it.
  asBefore(built)
  const [lost, kept] = [() => db.atomically(function * () {
    yield * conversations.words.indexSome(0)
    throw new Error('The disk is full')
  }), () => db.atomically(() => conversations.words.indexSome(0))]
  // The newer ones are short.
  for (let i = 0; i < 2; i++) await kept()
  for (let i = 0; i < 3; i++) await t.rejects(lost())
  while (await kept());
  t.strictSame([(await find('quagga0')).length, (await find('quagga9')).length], [1, 1], 'a slice that was lost is done again')

  asBefore(built)
  db.raw.prepare('update conversations set sealed = ? where number = 3').run(Buffer.alloc(40))
  await built.close()
  const again = await build(t, {}, { directory })
  await again.settled()
  t.ok(await isIndexed(again), 'but for the conversation that is damaged, it is found again')
  const count = again.stores.db.raw.prepare('select count(distinct conversation) from conversation_words').pluck().get()
  t.equal(count, 2)
})

t.test('words go with what is erased or deleted, and the account\'s secret with the account', { skip: fileAlone }, async (t) => {
  const directory = t.testdir({})
  const built = await talkative(t, {}, {}, { directory })
  const { me, id, settled, stores } = built
  const { db } = stores
  const { raw } = db
  const marks = () => raw.prepare<[], Buffer>('select words from conversation_words union all select words from visitors').pluck().all()
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Ottoline Quagga of Zanzibar' })).json().data.id
  const begun = async (about: object) =>
    `/v1/conversations/${(await me.post(`/v1/agents/${id}/conversations`, about)).json().data.id}`
  await me.post(`${await begun({ visitor })}/messages`, { text: 'Where do the okapis of Zanzibar sleep at night?' })
  const alone = await begun({ subject: 'Seven numbats counted' })
  await me.post(`${alone}/messages`, { text: 'How do numbats count each other?' })
  const gone = marks().filter(({ length }) => length >= 12)
  t.ok(gone.length >= 4)
  t.equal((await me.delete(`/v1/visitors/${visitor}`)).statusCode, 200)
  t.equal((await me.delete(alone)).statusCode, 200)
  await settled()
  db.checkpoint()
  t.strictSame(marks(), [])
  const bytes = [dataFile(directory), `${dataFile(directory)}-wal`].map((file) => readFileSync(file))
  t.notOk(gone.some((words) => bytes.some((file) => file.includes(words))), 'in no byte of the file and its log')
  const secret = raw.prepare('select secret from word_secrets').pluck().get() as number
  await db.atomically(function * () { return raw.prepare('delete from users').run().changes })
  t.ok(raw.prepare('select 1 from doomed_secrets where secret = ?').get(secret))
  await settled()
  t.equal(await stores.db.read(() => stores.secrets.seal(secret)), undefined)
})
