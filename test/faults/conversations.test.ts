import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { client, cycles, scratch, seeded, serve } from './tools/server.ts'

const CHATS = 4

t.test('kill -9 in mid-answer: nothing acknowledged is lost, no message twice, none left generating', async (t) => {
  const directory = scratch(t)
  const random = seeded(11)
  // Words come slowly enough that every kill hits some answers halfway.
  const model = await slowModel(t, async ({ say, end, gone, raw }) => {
    const away = gone.then(() => true)
    // Each answer names the question that it answers last, so that none is mistaken for another.
    const about = raw.match(/conv_[\w-]+-\d+-\d+/g)?.at(-1) ?? 'nothing'
    for (const word of ['Returns ', 'are ', 'free ', 'for ', 'a ', 'month, ', `${about}.`]) {
      await say(word)
      if (await Promise.race([away, new Promise((resolve) => setTimeout(resolve, 15))])) return
    }
    end()
  })
  const env = { AGENTHALL_MODEL_URL: model.url }
  let key = ''
  const chats: string[] = []
  const acknowledged = new Map<string, { id: string, text: string, status: string }>()
  let kills = 0
  for (; kills < cycles(6); kills++) {
    const server = await serve(directory, { env })
    key = server.key ?? key
    const send = client(server.address, key)
    if (chats.length === 0) {
      const { body } = await send('POST', '/v1/agents', {
        name: 'Ada', systemPrompt: 'Returns are free for a month after delivery.'
      })
      for (let i = 0; i < CHATS; i++) {
        chats.push(String((await send('POST', `/v1/agents/${body.data.id}/conversations`, {})).body.data.id))
      }
    }
    const before = { asked: model.all.length, acknowledged: acknowledged.size }
    const talks = chats.map(async (chat) => {
      for (let round = 0; ; round++) {
        const name = `${chat}-${kills}-${round}`
        const { status, body } = await send('POST', `/v1/conversations/${chat}/messages`, {
          text: `Are returns free for a month? ${name}`, client_id: name
        })
        if (status === 201) acknowledged.set(name, body.data as unknown as { id: string, text: string, status: string })
      }
    })
    const ended = Promise.allSettled(talks)
    // Killed with the first answer half written, or while another one follows.
    while (kills % 2 ? acknowledged.size === before.acknowledged : model.all.length === before.asked) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await new Promise((resolve) => setTimeout(resolve, random() * 60))
    await server.kill()
    await ended
  }
  const server = await serve(directory, { env })
  const send = client(server.address, key)
  const kept = async (chat: string) => {
    const all: Array<{
      id: string, seq: number, role: string, status: string, text: string, client_id: string | null
    }> = []
    for (;;) {
      const { body } = await send('GET', `/v1/conversations/${chat}/messages?limit=100&after=${all.length}`)
      if (body.data.length === 0) return all
      all.push(...body.data as unknown as typeof all)
    }
  }
  // The answer in progress when it was killed is written to its end.
  for (const chat of chats) {
    while ((await kept(chat)).some(({ status }) => status === 'generating')) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const messages = await Promise.all(chats.map(kept))
  await server.stop()
  for (const all of messages) {
    t.strictSame(all.map(({ seq }) => seq), all.map((_, i) => i + 1), 'no gap')
    t.equal(new Set(all.map(({ id }) => id)).size, all.length)
    t.strictSame(
      all
        .filter(({ role }) => role === 'agent')
        .map(({ status }) => status)
        .filter((status) => status !== 'complete' && status !== 'failed'),
      []
    )
    t.not(all.at(-1)?.role, 'visitor', 'every message has its answer')
  }
  const said = messages.flat().filter(({ role }) => role === 'visitor')
  t.equal(new Set(said.map(({ client_id: name }) => name)).size, said.length, 'no message twice')
  t.strictSame(
    [...acknowledged.keys()].filter((name) => !said.some((one) => one.client_id === name)),
    [],
    'nothing acknowledged is lost'
  )
  // Was wrong: all answers were worded alike, so that a lost one went unnoticed. Again with one row less.
  const answers = new Map(messages.flat().map((one) => [one.id, one]))
  const isKept = ({ id, text, status }: { id: string, text: string, status: string }) =>
    answers.get(id)?.text === text && answers.get(id)?.status === status
  t.strictSame(
    [...acknowledged].filter(([, answer]) => !isKept(answer)),
    [],
    'no answer either'
  )
  t.strictSame(
    [...acknowledged].filter(([name, { text, status }]) => status === 'complete' && !text.includes(name)),
    [],
    'and each is the answer to its own question'
  )
  t.ok(acknowledged.size > 0)
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  t.equal(raw.pragma('integrity_check', { simple: true }), 'ok')
  t.equal(raw.prepare('select count(*) from messages').pluck().get(), messages.flat().length)
  raw.close()
  t.comment(`${kills} kills, ${acknowledged.size} acknowledged answers, ${messages.flat().length} messages`)
})

/** Where in a turn the server is killed; the point after which the model says nothing more. */
const STEPS: Array<{ name: string, held?: string, text?: string, more?: boolean, reached?: string }> = [
  { name: 'the message is kept, and nothing is asked yet', held: 'asked', reached: "m.status = 'generating'" },
  { name: 'the model puts the question into other words', held: 'rewriting', text: 'What do quaggas eat in winter?' },
  { name: 'the model is asked', held: 'asked' },
  { name: 'the model is asked anew, for two messages', held: 'asked', more: true },
  { name: 'the first words are said', held: 'begun' },
  { name: 'all is said but that it is the end', held: 'said' },
  { name: 'the answer is kept', reached: "m.status = 'complete' and m.role = 'agent'" }
]

/** Resolves when the file contains such a message of a conversation. */
async function until (raw: BetterSqlite3.Database, chat: string, holds: string) {
  const found = raw
    .prepare(`select 1 from messages m join conversations c on c.number = m.conversation where c.id = ? and ${holds}`)
    .pluck()
  while (found.get(chat) === undefined) await new Promise(setImmediate)
}

t.test('kill -9 at each step of a turn: sent again, each message is there once and has its one answer', async (t) => {
  const directory = scratch(t)
  let held: string | undefined
  let isHeld = Promise.withResolvers<void>()
  const model = await slowModel(t, async ({ say, end, gone, raw }) => {
    const stages: Array<[string, string]> = raw.includes('search engine')
      ? [['rewriting', ''], ['', '{"query":"quaggas"}']]
      : [['asked', ''], ['begun', 'Returns are '], ['said', 'free for a month.']]
    for (const [stage, words] of stages) {
      if (words) await say(words)
      if (stage !== held) continue
      isHeld.resolve()
      return await gone
    }
    end()
  })
  const env = { AGENTHALL_MODEL_URL: model.url }
  let server = await serve(directory, { env })
  t.teardown(() => server.kill())
  const key = server.key!
  const { body } = await client(server.address, key)('POST', '/v1/agents', {
    name: 'Ada', systemPrompt: 'Returns are free for a month after delivery.'
  })
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  for (const { name, held: stage, text = 'Are returns free for a month?', more = false, reached } of STEPS) {
    held = stage
    isHeld = Promise.withResolvers()
    const chat = String((await client(server.address, key)(
      'POST', `/v1/agents/${body.data.id}/conversations`, {}
    )).body.data.id)
    const say = async (name: string) => {
      const { status, body } = await client(server.address, key)(
        'POST', `/v1/conversations/${chat}/messages`, { text, client_id: name }
      )
      t.equal(status, 201, name)
      return body.data as unknown as { id: string, text: string, status: string }
    }
    const first = say('first').catch(() => undefined)
    if (reached) await until(raw, chat, reached)
    else await isHeld.promise
    isHeld = Promise.withResolvers()
    const second = more ? say('second').catch(() => undefined) : undefined
    if (more) await isHeld.promise
    await server.kill()
    const acknowledged = [await first, await second]
    held = undefined
    server = await serve(directory, { env })
    const names = more ? ['first', 'second'] : ['first']
    const again = await Promise.all(names.map(say))
    const messages = (await client(server.address, key)('GET', `/v1/conversations/${chat}/messages`)).body
      .data as unknown as Array<{ id: string, seq: number, role: string, status: string, client_id: string | null }>
    t.strictSame(
      messages.map(({ seq, role, status, client_id: sent }) => ({ seq, role, status, sent })),
      [...names, null].map((sent, i) => ({ seq: i + 1, role: sent ? 'visitor' : 'agent', status: 'complete', sent })),
      name
    )
    const answer = messages.at(-1)
    for (const one of [...again, ...acknowledged]) t.ok(one === undefined || one.id === answer?.id, `${name}: one answer`)
  }
  await server.stop()
  t.equal(raw.prepare("select count(*) from messages where status = 'generating'").pluck().get(), 0)
  raw.close()
})
