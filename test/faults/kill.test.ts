import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { client, cycles, scratch, seeded, serve, type Server } from './tools/server.ts'

const WRITERS = 8

/** One thing a writer made, as far as the server acknowledged it, and the request pending when it was killed. */
interface Item {
  kind: 'agent' | 'key'
  id: number | undefined
  name: string
  acknowledged: string | undefined
  asked: string | undefined
}

/** A writer knows exactly what state to expect of its own things. GONE: deleted or revoked. */
const GONE = '(gone)'

type Send = ReturnType<typeof client>

/** Writes of every kind, one after another, until the server is gone. */
async function write (send: Send, items: Item[], who: number, random: () => number, counted: { writes: number }) {
  for (let round = 0; ; round++) {
    const mine = items.filter(
      (item) => item.acknowledged !== undefined && item.acknowledged !== GONE && item.asked === undefined
    )
    const item = random() < 0.45 ? mine[Math.floor(random() * mine.length)] : undefined
    await (item ? change(send, item, random, round) : make(send, items, `w${who}-${items.length}`, random))
    counted.writes++
  }
}

async function make (send: Send, items: Item[], name: string, random: () => number) {
  const kind = random() < 0.2 ? 'key' : 'agent'
  const item: Item = { kind, id: undefined, name, acknowledged: undefined, asked: name }
  items.push(item)
  const { status, body } = kind === 'agent'
    ? await send('POST', '/v1/agents/', { name, systemPrompt: name }, { 'idempotency-key': name })
    : await send('POST', '/v1/api_keys/', { name })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  Object.assign(item, { id: body.data.id, acknowledged: name, asked: undefined })
}

async function change (send: Send, item: Item, random: () => number, round: number) {
  const away = item.kind === 'key' || random() < 0.4
  const to = away ? GONE : `${item.name}#${round}.${Math.floor(random() * 1e6)}`
  item.asked = to
  const url = item.kind === 'agent' ? `/v1/agents/${item.id}` : `/v1/api_keys/${item.id}`
  const { status, body } = away ? await send('DELETE', url) : await send('PUT', url, { name: to, systemPrompt: to })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  Object.assign(item, { acknowledged: to, asked: undefined })
}

/** Compares the file with what was acknowledged. What was requested and not acknowledged may have happened, in full. */
function compare (file: string, items: Item[]) {
  const raw = new BetterSqlite3(file, { readonly: true })
  const found = {
    lost: [] as string[],
    halfDone: [] as string[],
    integrity: raw.pragma('integrity_check', { simple: true }),
    orphans: (raw.pragma('foreign_key_check') as unknown[]).length
  }
  // One that was deleted belongs to nobody, and its rows are removed in slices.
  const agents = raw
    .prepare('select id, name, system_prompt as prompt, revision from agents where owner_id is not null')
    .all() as Array<{ id: number, name: string, prompt: string, revision: number }>
  const keys = raw.prepare("select id, name, revoked_at as revoked from api_keys where name like 'w%'").all() as Array<{
    id: number, name: string, revoked: string | null
  }>
  // Every agent is created with an Idempotency-Key: there is one record for each number ever given to an agent, or one
  // of the two is missing.
  const records = raw.prepare('select count(*) from idempotency_records').pluck().get() as number
  const numbers = (raw.prepare("select seq from sqlite_sequence where name = 'agents'").pluck().get() ?? 0) as number
  const newest = raw.prepare('select max(revision) from users').pluck().get() as number
  raw.close()

  for (const { id, name, prompt, revision } of agents) {
    if (name !== prompt || revision > newest) found.halfDone.push(`${name} (${id})`)
  }
  if (records !== numbers) found.halfDone.push(`${records} idempotency records for ${numbers} agents`)
  const byName = new Map(agents.map((agent) => [agent.name.split('#')[0], agent]))
  const keyByName = new Map(keys.map((key) => [key.name, key]))
  for (const item of items) {
    const agent = byName.get(item.name)
    const key = keyByName.get(item.name)
    const is = item.kind === 'agent' ? agent?.name : key && (key.revoked ? GONE : key.name)
    const expected = [item.acknowledged, item.asked].map((state) =>
      item.kind === 'agent' && state === GONE ? undefined : state
    )
    if (!expected.includes(is)) {
      found.lost.push(`${item.name}: ${is} instead of ${item.acknowledged} (asked: ${item.asked})`)
    }
    byName.delete(item.name)
    // From here on the file says what was acknowledged.
    Object.assign(item, {
      id: item.id ?? agent?.id ?? key?.id,
      acknowledged: is ?? (item.acknowledged === undefined ? undefined : GONE),
      asked: undefined
    })
  }
  for (const name of byName.keys()) found.halfDone.push(`${name}: nobody made it`)
  return found
}

async function orKill<T> (server: Server, work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    await server.kill()
    throw error
  }
}

/** Starts, writes, kills, and compares after the next start, until something is lost or the cycles are done. */
async function killCycles (directory: string, count: number, planted?: string) {
  const random = seeded(7)
  const items: Item[][] = Array.from({ length: WRITERS }, () => [])
  const sum = { cycles: 0, writes: 0, lost: [] as string[], halfDone: [] as string[], broken: 0 }
  let key = ''
  for (; sum.cycles <= count; sum.cycles++) {
    const server: Server = await serve(directory, { planted })
    key = server.key ?? key
    const found = await orKill(server, () => compare(dataFile(directory), items.flat()))
    sum.lost.push(...found.lost)
    sum.halfDone.push(...found.halfDone)
    if (found.integrity !== 'ok' || found.orphans) sum.broken++
    const writing = new Set(items)
    const writers = items.map((mine, who) =>
      write(client(server.address, key), mine, who, random, sum)
        .catch((error) => {
          if (!(error instanceof TypeError)) throw error // A TypeError is fetch's word for a connection that broke.
        })
        .finally(() => writing.delete(mine))
    )
    // Not after some time, in which a busy machine does nothing: after this many writes, at any moment of the next.
    const enough = sum.writes + 10 + random() * 60
    while (sum.writes < enough && writing.size) await pause(1)
    await pause(random() * 10)
    await server.kill()
    await Promise.all(writers)
    if (planted && sum.lost.length) break
  }
  return sum
}

t.test(
  'kill -9 under eight writers of every kind loses nothing acknowledged and leaves nothing half done',
  async (t) => {
    const started = performance.now()
    const sum = await killCycles(scratch(t), cycles(50))
    t.comment(
      `${sum.cycles - 1} kills, ${sum.writes} acknowledged writes, ${sum.lost.length} lost, ${sum.halfDone.length} half done, ${sum.broken} broken files, ${((performance.now() - started) / 1000).toFixed(0)} s`
    )
    t.same(sum.lost, [])
    t.same(sum.halfDone, [])
    t.equal(sum.broken, 0)
    t.ok(sum.writes > cycles(50) * 10)
  }
)

t.test('planted: a server that acknowledges before it commits is found out', async (t) => {
  const sum = await killCycles(scratch(t), 20, 'early')
  t.comment(`found out after ${sum.cycles} kills: ${sum.lost[0]}`)
  t.ok(sum.lost.length > 0)
})
