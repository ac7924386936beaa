import fc from 'fast-check'
import t from 'tap'
import { joined } from '../access/people.ts'
import { talkative } from '../conversations/helper.ts'
import { markAfter } from '../../src/handoff/seen.sqlite.ts'

/** A conversation that its owner holds and the visitor has written in, and a colleague. */
async function held (t: Parameters<typeof talkative>[0]) {
  const built = await talkative(t)
  const { me, at, say, stores, user } = built
  const colleague = await user()
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  t.equal((await me.post(`${at}/takeover`, {})).statusCode, 200)
  await say('Are you there?')
  const unread = async () => (await me.get('/v1/me/unread')).json().data.conversations as string[]
  const newest = async () => (await me.get(at)).json().data.messages as number
  const see = async (message: number) => await me.put(`${at}/seen`, { up_to: message })
  return { ...built, colleague, unread, newest, see }
}

t.test('a conversation that one holds is unread from the visitor\'s message until it was seen', async (t) => {
  const { conversation, unread, newest, see, say } = await held(t)
  t.strictSame(await unread(), [conversation])
  const last = await newest()
  const seen = await see(last)
  t.equal(seen.statusCode, 200, seen.body)
  t.match(seen.json().data, { id: conversation, up_to: last })
  t.strictSame(await unread(), [])
  await say('Hello?')
  t.strictSame(await unread(), [conversation], 'the visitor wrote again')
  await see(last)
  t.strictSame(await unread(), [conversation], 'what was seen before is not all')
})

t.test('where one stands in a conversation can be asked for', async (t) => {
  const { at, me, see, conversation } = await held(t)
  const where = async () => (await me.get(`${at}/seen`)).json().data
  t.strictSame(await where(), { id: conversation, user: me.id, up_to: 0, visitor: null }, 'nothing was seen')
  await see(1)
  t.strictSame(await where(), { id: conversation, user: me.id, up_to: 1, visitor: null })
  t.equal((await me.get('/v1/conversations/conv_AAAAAAAAAAAAAAAAAAAAAA/seen')).statusCode, 404)
})

t.test('a reply counts as seen, and so does giving the conversation back', async (t) => {
  const { conversation, unread, say, me, at } = await held(t)
  await me.post(`${at}/messages`, { text: 'Yes.', role: 'person' })
  t.strictSame(await unread(), [])
  await say('Good.')
  t.strictSame(await unread(), [conversation])
  await me.post(`${at}/release`, {})
  t.strictSame(await unread(), [], 'nobody holds it any more')
})

t.test('a mark never goes back, nor beyond the newest message, and belongs to who set it', async (t) => {
  const { conversation, unread, newest, see, me, colleague, stores } = await held(t)
  const last = await newest()
  await stores.seen.mark(me.id, conversation, colleague.id, last)
  t.strictSame(await unread(), [conversation], 'what a colleague has seen is their own')
  t.strictSame(await stores.seen.unread(me.id, colleague.id), [], 'they do not hold it')
  t.equal(await stores.seen.mark(colleague.id, conversation, colleague.id, 1), undefined, 'another account')
  t.equal((await see(last + 1000)).json().data.up_to, last, 'nobody has seen what is not written yet')
  t.equal((await see(1)).json().data.up_to, last)
  t.equal((await me.put('/v1/conversations/conv_AAAAAAAAAAAAAAAAAAAAAA/seen', { up_to: 1 })).statusCode, 404)
  t.equal((await see(0)).statusCode, 400)
  t.strictSame(await unread(), [])
  fc.assert(fc.property(fc.nat(), fc.nat(), fc.nat(), (before, seen, more) => {
    const messages = before + more
    const after = markAfter(before, seen, messages)
    return after >= before && after <= messages && (seen > messages || after >= seen)
  }))
})

t.test('the mark of a visitor never goes back, keeps its time, and goes with the conversation', async (t) => {
  const { at, me, conversation, newest, stores, clock, colleague } = await held(t)
  const mark = async (message: number) => await stores.seen.markByVisitor(me.id, conversation, message)
  const where = async () => (await me.get(`${at}/seen`)).json().data.visitor
  const first = await mark(1)
  t.match(first, { up_to: 1 })
  t.strictSame(await where(), first)
  clock.advance(60_000)
  t.strictSame(await mark(1), first, 'seen once more is no news')
  const last = await mark(1000)
  t.equal(last!.up_to, await newest(), 'nobody has seen what is not written yet')
  t.equal(Date.parse(last!.at), Date.parse(first!.at) + 60_000)
  t.strictSame(await mark(1), last)
  t.equal(await stores.seen.markByVisitor(colleague.id, conversation, 1), undefined, 'another account')
  t.equal((await me.delete(at)).statusCode, 200)
  t.equal(await mark(1), undefined)
})

t.test('who has seen a conversation is told to those who watch the account', async (t) => {
  const { app, conversation, newest, see, me, stores } = await held(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const cut = new AbortController()
  const { body } = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
  })
  const pieces = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let read = ''
  const until = async (wanted: string) => {
    while (!read.includes(wanted)) read += (await pieces.next()).value ?? ''
  }
  await until(': watching')
  const last = await newest()
  await see(last)
  await until(`{"type":"seen","id":"${conversation}","user":${me.id},"up_to":${last}}`)
  // Seen once more: nothing has changed, and nobody is notified.
  await see(last)
  await me.post(`/v1/conversations/${conversation}/notes`, { text: 'x' })
  await until('note.created')
  t.equal(read.split('"type":"seen"').length, 2)
  const { at } = (await stores.seen.markByVisitor(me.id, conversation, last))!
  await until(`{"type":"seen","id":"${conversation}","user":null,"up_to":${last},"at":"${at}"}`)
  cut.abort()
})
