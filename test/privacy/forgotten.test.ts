import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { backup } from '../../src/platform/storage/sqlite/backup.ts'
import { makeDirectory } from '../../src/platform/paths.ts'
import { accounting, dataFile } from '../../src/data-file.ts'
import { FRONT } from '../../src/platform/storage/sqlite/overflow.ts'
import type { SqliteDatabase } from '../../src/platform/storage/sqlite/database.ts'
import { IN_A_PAGE } from '../../src/platform/storage/sqlite/secrets.ts'
import { KEY_BYTES } from '../../src/platform/storage/secrets.ts'
import { columnsOf, isFile, keptBytes, tablesOf } from '../postgres/looking.ts'
import type { Outbox } from '../../src/platform/storage/sqlite/outbox.ts'
import { keeping } from './helper.ts'

const EACH = 2500

/** Keys that were issued, by the number of their secret, as stored in the file. */
function keysIn (raw: SqliteDatabase['raw']): Map<number, Buffer> {
  const pages = raw
    .prepare<[], { id: number, used: number, keys: Buffer }>('select id, used, keys from secret_pages')
    .all()
  return new Map(pages.flatMap(({ id, used, keys }) => Array.from({ length: used }, (_, n) => {
    const at = FRONT + n * KEY_BYTES
    return [id * IN_A_PAGE + n, keys.subarray(at, at + KEY_BYTES)] as const
  })))
}

/** The secrets with which something is still sealed, in any table. */
function secretsInUse (raw: SqliteDatabase['raw']): Set<number> {
  const columns = tablesOf(raw).filter((table) => table !== 'doomed_secrets')
    .flatMap((table) => columnsOf(raw, table).filter((name) => name.endsWith('secret"')).map((name) => [table, name]))
  return new Set(columns.flatMap(([table, name]) =>
    raw.prepare<[], number>(`select ${name} from ${table} where typeof(${name}) = 'integer'`).pluck().all()))
}

/** Words that occur nowhere else: `quagga`, whose, which. */
function * wordsOf (whose: string) {
  for (let i = 0; ; i++) yield `quagga${whose}${i.toString(36).padStart(4, '0')}zq`
}

// Planted fault: `destroy` does nothing. Words alone would not show it, since they are sealed: the key of deleted data
// opens it in an older copy of the file.
t.test('none of 10,000 words, nor a key of what they were sealed with, is in the bytes of the file, its log, the logs or a backup after erasure, retention and deletion', async (t) => {
  const directory = t.testdir({})
  const lines: string[] = []
  const built = await keeping(t, 30, { directory, log: { write: (line) => { lines.push(line) } } })
  const { me, id, visitor, begin, attach, live, settled, say, stores: { db, outbox: store } } = built
  const outbox = store as Outbox
  const learnt = db.raw
    .prepare<[number], number>('select count(*) from candidates where agent_id = ? and sealed is not null')
    .pluck()
  let planted = 0
  /** Plants words wherever somebody can enter text. */
  async function plant (whose: string, agent = id) {
    const words = wordsOf(whose)
    const word = () => {
      planted++
      return words.next().value as string
    }
    const some = (count: number) => Array.from({ length: count }, word).join(' ')
    const last = planted + EACH
    const left = () => last - planted
    const person = await visitor({
      agent,
      name: word(),
      email: `${word()}@example.com`,
      phone: word(),
      external_id: word(),
      attributes: { plan: word() },
      consent: some(20)
    })
    const conversation = await begin(person, agent)
    await me.patch(conversation, { subject: word() })
    const [file] = (await attach(conversation, `${word()}.txt`, some(100))).json().data
    for (let i = 0; left() > 210; i++) {
      const key = { 'idempotency-key': word() }
      const answer = await me.post(
        `${conversation}/messages`,
        {
          text: `Do you know about returns, ${some(Math.min(300, left() - 210))}?`,
          ...(i === 0 && { attachments: [file.id] })
        },
        key
      )
      t.equal(answer.statusCode, 201, answer.body.slice(0, 200))
      await me.put(`${conversation}/messages/${answer.json().data.id}/feedback`, { score: -1, comment: some(2) })
    }
    // What people write about them.
    const noted = await me.post(`${conversation}/notes`, { text: some(20) })
    const opened = await me.post(
      `${conversation}/tickets`,
      { subject: word(), description: some(20), requester: { name: word() } },
      { 'idempotency-key': word() }
    )
    t.strictSame([noted.statusCode, opened.statusCode], [201, 201])
    const { email } = (await me.get(`/v1/visitors/${person}`)).json().data
    const asked = { agent, subject: word(), description: some(20), requester: { name: word(), email } }
    const loose = await me.post('/v1/tickets', asked, { 'idempotency-key': word() })
    t.equal(loose.statusCode, 201, loose.body)
    const answered = await me.patch(`/v1/tickets/${loose.json().data.id}`, { subject: word() })
    t.equal(answered.statusCode, 200)
    await settled()
    t.ok((await me.get(`/v1/agents/${agent}/suggestions`)).statusCode === 200, 'suggestions have been drawn from it')
    t.ok(learnt.get(agent)! > 0, 'and what was asked is kept, sealed')
    // Outgoing messages (outbox) contain words of theirs as well.
    await db.atomically(() =>
      outbox.add({
        owner: me.id, channel: 'mail', key: `mail-${whose}`, about: conversation.slice(4), payload: { text: some(50) }
      })
    )
    const named = await me.post(`/v1/agents/${agent}/chat`, {
      id: word(), messages: [{ role: 'user', parts: [{ type: 'text', text: some(left()) }] }]
    })
    t.equal(named.statusCode, 200)
    return { person, conversation }
  }
  const bytes = () => keptBytes(built).toString('latin1')
  const handedOut = new Map<number, Buffer>()
  const noteKeys = () => {
    for (const [secret, key] of keysIn(db.raw)) if (key.some((byte) => byte !== 0)) handedOut.set(secret, key)
  }
  const quaggas = (text: string) => text.match(/quagga[a-z0-9]*/g)

  await plant('kept')
  const erased = await plant('erased')
  const deleted = await plant('deleted')
  const other = (await me.post('/v1/agents', { name: 'Bob', systemPrompt: 'You help.' })).json().data.id
  await plant('agents', other)
  t.equal(planted, 4 * EACH)
  noteKeys()
  const sealed = secretsInUse(db.raw)
  t.equal((await me.delete(`/v1/visitors/${erased.person}`)).statusCode, 200)
  t.equal((await me.delete(deleted.conversation)).statusCode, 200)
  t.equal((await me.delete(`/v1/visitors/${deleted.person}`)).statusCode, 200)
  t.equal((await me.delete(`/v1/agents/${other}`)).statusCode, 200)
  await live(31)
  noteKeys()
  // The clients' own names of their chats belong to no visitor; their time is over too.
  t.strictSame(
    [
      'conversations', 'messages', 'visitors', 'idempotency_records', 'outbox', 'tickets', 'notes', 'candidates'
    ].map((table) => db.raw.prepare(`select count(*) from ${table}`).pluck().get()),
    [0, 0, 0, 0, 0, 0, 0, 0]
  )
  await say('Hello')
  await settled()
  // Databases are backed up by their own tools.
  const to = path.join(directory, 'backups', 'after.db')
  makeDirectory(path.dirname(to))
  if (isFile(db.raw)) await backup({ file: dataFile(directory), to, accounting })
  const kept = secretsInUse(db.raw)
  const destroyed = [...handedOut].filter(([secret]) => !kept.has(secret))
  t.ok(destroyed.length > 20, `${destroyed.length} secrets are to be gone`)
  t.strictSame([...sealed].filter((secret) => !handedOut.has(secret)), [], 'every secret in use was looked at')
  const places = {
    tables: bytes(), log: lines.join('\n'), ...(isFile(db.raw) && { backup: readFileSync(to).toString('latin1') })
  }
  for (const [where, text] of Object.entries(places)) {
    t.equal(quaggas(text), null, where)
    const found = destroyed.filter(([, key]) => text.includes(key.toString('latin1'))).map(([secret]) => secret)
    t.strictSame(found, [], `keys in the ${where}`)
  }
  const alive = [...handedOut].find(([secret]) => kept.has(secret))![1].toString('latin1')
  t.ok(bytes().includes(alive), 'a key that is kept is found where it stands')
  t.ok(lines.length > 50, 'there is a log')
  t.strictSame(globSync('**/*', { cwd: directory }).filter((name) => /\.(log|tmp|part)/.test(name)), [])
})
