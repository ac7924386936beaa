import '../bare-children.ts'
import { globSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { changedRows, keptBytes } from '../postgres/looking.ts'
import { site } from './helper.ts'

/** The production app behind a real socket, a visitor's conversation, and streams as they are read. */
async function watched (t: Test, agent: object = {}, options: Parameters<typeof site>[3] = {}) {
  const built = await site(t, {}, agent, options)
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.app.server.address() as AddressInfo
  const visitor = await built.visit()
  const begun = await built.begin(visitor)
  /** Opens a stream; `until` reads on until a text has come, and returns all that came. */
  async function stream (url: string, token = '') {
    const cut = new AbortController()
    t.teardown(() => cut.abort())
    const { body } = await fetch(`http://127.0.0.1:${port}${url}`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://shop.example' }, signal: cut.signal
    })
    const pieces = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    let read = ''
    return {
      async until (wanted: string) {
        while (!read.includes(wanted)) {
          const { value, done } = await pieces.next()
          if (done) break
          read += value
        }
        return read
      }
    }
  }
  return { ...built, ...begun, visitor, stream, type: async (body?: object) => await visitor.post(`${begun.at}/typing`, body) }
}

t.test('what a visitor types is told to the people of the account, and to nobody else', async (t) => {
  // Was wrong: people saw that somebody types, and not what.
  const { me, user, visit, conversation, at, visitor, stream, type } = await watched(t)
  const [stranger, other] = [await user(), await visit()]
  const [team, strangers, own, ofApi] = [
    await stream('/v1/events', me.key), await stream('/v1/events', stranger.key),
    await stream(`${at}/events`, visitor.token), await stream(`/v1/conversations/${conversation}/events`, me.key)
  ]
  for (const one of [team, strangers, own, ofApi]) await one.until('watching')
  t.equal((await type({ text: 'How long do I ha' })).statusCode, 202)
  await team.until(`{"type":"typing","id":"${conversation}","role":"visitor","text":"How long do I ha"}`)
  t.equal((await type({ text: '' })).statusCode, 202)
  await team.until('"role":"visitor","text":""}')
  t.equal((await type()).statusCode, 202, 'without words, as before')
  await team.until('"role":"visitor"}')
  // The last event that all of them receive: what came before it has been received as well.
  await visitor.post(`${at}/messages`, { text: 'Something else' })
  for (const one of [own, ofApi]) t.notMatch(await one.until('Something else'), 'How long')
  t.match(await own.until('"typing"'), '"role":"visitor"', 'the stream of a conversation says that somebody types')
  await stranger.post('/v1/agents', { name: 'Bob', systemPrompt: 'x' })
  const { data: [theirs] } = (await stranger.get('/v1/agents')).json()
  await stranger.post(`/v1/agents/${theirs.id}/conversations`, {})
  t.notMatch(await strangers.until('conversation.created'), /typing|How long/)
  t.equal((await other.post(`${at}/typing`, { text: 'x' })).statusCode, 404)
})

t.test('that a visitor has seen what a person wrote is told to the people of the account, once', async (t) => {
  const { me, user, visit, conversation, at, visitor, stream } = await watched(t)
  const [stranger, other] = [await user(), await visit()]
  await visitor.post(`${at}/messages`, { text: 'Hello?' })
  const [team, strangers, own] = [
    await stream('/v1/events', me.key), await stream('/v1/events', stranger.key), await stream(`${at}/events`, visitor.token)
  ]
  for (const one of [team, strangers, own]) await one.until('watching')
  await me.post(`/v1/conversations/${conversation}/takeover`, {})
  const { data: { seq } } = (await me.post(`/v1/conversations/${conversation}/messages`, { role: 'person', text: 'Here.' })).json()
  for (let time = 0; time < 2; time++) {
    const seen = await visitor.put(`${at}/seen`, { up_to: seq })
    t.equal(seen.statusCode, 200, seen.body)
    t.match(seen.json().data, { up_to: seq, at: /^\d{4}-/ })
  }
  await visitor.post(`${at}/messages`, { text: 'Something else' })
  t.equal((await team.until('Something else')).split(`{"type":"seen","id":"${conversation}","user":null,"up_to":${seq},"at":"`).length, 2)
  t.notMatch(await own.until('Something else'), '"seen"', 'the visitor knows')
  t.match((await me.get(`/v1/conversations/${conversation}/seen`)).json().data, { visitor: { up_to: seq } })
  t.equal((await visitor.put(`${at}/seen`, { up_to: 0 })).statusCode, 400)
  t.equal((await other.put(`${at}/seen`, { up_to: seq })).statusCode, 404, 'of another visitor')
  await stranger.post('/v1/agents', { name: 'Bob', systemPrompt: 'x' })
  const { data: [theirs] } = (await stranger.get('/v1/agents')).json()
  await stranger.post(`/v1/agents/${theirs.id}/conversations`, {})
  t.notMatch(await strangers.until('conversation.created'), '"seen"')
})

t.test('what is typed is written nowhere: in no row, in no byte of the files, in no line of the log', async (t) => {
  const directory = t.testdir({})
  const lines: string[] = []
  const { me, type, say, settled, stream, stores } = await watched(
    t, {}, { directory, log: { write: (line) => { lines.push(line) } } }
  )
  const team = await stream('/v1/events', me.key)
  await team.until('watching')
  await settled()
  // What is stored is sealed, so that its bytes alone would prove nothing: no row is written at all.
  const written = changedRows(stores.db.raw)
  const before = written()
  for (let i = 0; i < 20; i++) t.equal((await type({ text: `quaggatyped${i}zq and more` })).statusCode, 202)
  await team.until('quaggatyped19zq')
  await settled()
  t.equal(written(), before, 'nothing was written')
  await say('Planted: quaggasent')
  await settled()
  const files = globSync('**/*', { cwd: directory, withFileTypes: true }).filter((one) => one.isFile())
  t.ok(files.length > 0 && lines.length > 20, 'there are files and a log')
  for (const { parentPath, name } of files) {
    t.notOk(readFileSync(path.join(parentPath, name)).includes('quaggatyped'), name)
  }
  t.notOk(keptBytes({ stores, directory }).includes('quaggatyped'))
  t.notMatch(lines.join('\n'), 'quaggatyped')
})

t.test('what is typed has a length and a form, and is told of nobody who has yet to agree', async (t) => {
  const { type } = await watched(t)
  for (const body of [{ text: 'x'.repeat(2001) }, { text: 1 }, { text: null }, { text: 'a\0' }, { words: 'x' }, []]) {
    t.equal((await type(body)).statusCode, 400, JSON.stringify(body).slice(0, 40))
  }
  t.equal((await type({ text: '😀'.repeat(2000) })).statusCode, 202, 'characters are counted, not their halves')
  const asked = await watched(t, {
    gdpr_settings: { data_retention_message: 'We keep what you write.', gdpr_message_display: true }
  })
  t.equal((await asked.type({ text: 'Before' })).statusCode, 409)
  t.equal((await asked.type()).statusCode, 202)
  await asked.visitor.patch('/v1/widget/visitor', { consent: 'We keep what you write.' })
  t.equal((await asked.type({ text: 'After' })).statusCode, 202)
})

t.test('a visitor reads one message of theirs by its address, and nobody else does', async (t) => {
  const { visitor, at, visit } = await watched(t)
  const { data: said } = (await visitor.post(`${at}/messages`, { text: 'Hello!' })).json()
  t.match((await visitor.get(`${at}/messages/${said.id}`)).json().data, { id: said.id, text: 'Hello!' })
  t.equal((await visitor.get(`${at}/messages/msg_${'x'.repeat(22)}`)).statusCode, 404)
  t.equal((await (await visit()).get(`${at}/messages/${said.id}`)).statusCode, 404)
})
