import { readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { talkative } from './helper.ts'
import { fileAlone } from '../postgres/database.ts'

/** Words that occur nowhere else in the file. */
function wordsOf (name: string, count: number) {
  return Array.from({ length: count }, (_, i) => `quagga${name}${i.toString(36).padStart(4, '0')}zq`)
}

/** The keys of conversations and visitors, as stored in the file: see src/platform/storage/sqlite/secrets.ts. */
function keysOf (
  {
    stores: {
      db: { raw }
    }
  }: Awaited<ReturnType<typeof talkative>>,
  table: 'conversations' | 'visitors',
  where = 'true'
) {
  const secrets = raw.prepare(`select secret from ${table} where ${where}`).pluck().all() as number[]
  const key = raw.prepare<[number, number], Buffer>('select substr(keys, ?, 32) from secret_pages where id = ?').pluck()
  return secrets.map((secret) => key.get(512 + (secret % 126) * 32 + 1, Math.floor(secret / 126))!)
}

t.test('what was said is in no byte of the file, and no key of what was deleted', { skip: fileAlone }, async (t) => {
  const directory = t.testdir({})
  const built = await talkative(t, {}, {}, { directory })
  const { me, id, at, say, stores: { db } } = built
  const said: string[] = []
  const talk = async (on: string, name: string) => {
    for (const word of wordsOf(name, 20)) {
      said.push(word)
      const answer = await me.post(`${on}/messages`, { text: `Do you know ${word} and returns?` })
      await me.put(`${on}/messages/${answer.json().data.id}/feedback`, { score: -1, comment: word })
    }
  }
  const begin = async (agent: number) =>
    `/v1/conversations/${(await me.post(`/v1/agents/${agent}/conversations`, {})).json().data.id}`
  const visitor = async (agent: number, name: string) => {
    const [word] = wordsOf(name, 1)
    said.push(word!)
    t.equal(
      (await me.post('/v1/visitors', { agent, name: word, email: `${word}@example.com`, attributes: { plan: word } }))
        .statusCode,
      201
    )
  }
  await say('Hello')
  await talk(at, 'kept')
  const [kept] = keysOf(built, 'conversations')
  const alone = await begin(id)
  await talk(alone, 'alone')
  const other = (await me.post('/v1/agents', { name: 'Bob', systemPrompt: 'You help.' })).json().data.id
  await talk(await begin(other), 'agents')
  await visitor(other, 'visitor')
  const gone = [...keysOf(built, 'conversations').slice(1), ...keysOf(built, 'visitors')]
  t.equal((await me.delete(alone)).statusCode, 200)
  t.equal((await me.delete(`/v1/agents/${other}`)).statusCode, 200)
  await built.settled()
  const left = (table: string) => db.raw.prepare(`select count(*) from ${table}`).pluck().get()
  t.strictSame([left('conversations'), left('messages'), left('visitors'), left('doomed_secrets')], [1, 42, 0, 0])
  // The server is still running: neither the file nor its write-ahead log contains a key of theirs.
  const bytes = [dataFile(directory), `${dataFile(directory)}-wal`].map((file) => readFileSync(file))
  t.strictSame(
    gone.map((key) => bytes.map((file) => file.includes(key))),
    Array.from({ length: 3 }, () => [false, false]),
    'three keys are gone'
  )
  t.ok(bytes[0]!.includes(kept!), 'what is kept has its key there')
  for (const file of bytes) {
    t.equal(file.toString('latin1').match(/quagga[a-z0-9]+zq/g), null, `none of ${said.length} words`)
  }
})

t.test('a message costs 200 bytes of the file at most, over its text', { skip: fileAlone }, async (t) => {
  const directory = t.testdir({})
  const {
    me, id, settled, stores: { db, conversations }
  } = await talkative(t, {}, {}, { directory })
  const size = () => {
    db.checkpoint()
    return statSync(dataFile(directory)).size
  }
  // The account stream's replay buffer and the unanswered questions are bounded: both are full before anything is
  // measured.
  const { data: first } = (await me.post(`/v1/agents/${id}/conversations`, {})).json()
  for (let i = 0; i < 510; i++) {
    await me.post(`/v1/conversations/${first.id}/messages`, {
      text: `Question ${i % 25} of visitor 0: where are the zebras of the northern enclosure kept?`
    })
  }
  await settled()
  const before = size()
  const texts = { bytes: 0, messages: 0 }
  for (let i = 0; i < 20; i++) {
    const { data } = (await me.post(`/v1/agents/${id}/conversations`, {})).json()
    for (let j = 0; j < 25; j++) {
      await me.post(`/v1/conversations/${data.id}/messages`, {
        text: `Question ${j} of visitor ${i}: where are the zebras of the northern enclosure kept?`
      })
    }
    // Later work on a message is not part of its cost.
    await settled()
    const kept = (await conversations.store.messages(1, data.id, {}, 100)) ?? []
    texts.messages += kept.length
    texts.bytes += kept.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  }
  const each = (size() - before - texts.bytes) / texts.messages
  t.comment(`${each.toFixed(0)} bytes a message over its text`)
  t.equal(texts.messages, 1000)
  t.ok(each <= 200, `${each} bytes`)
})
