import pg from 'pg'
import t, { type Test } from 'tap'
import type { Id } from '../../schema/common.ts'
import { newId } from '../../src/conversations/storage/rows.ts'
import { newVisitor } from '../../src/conversations/index.ts'
import { agentNamed, openEveryStore } from '../stores.ts'
import { emptyDatabase, skip } from '../postgres/database.ts'

const CONVERSATIONS = 150
const AT = '2026-01-01T00:00:00.000000Z'
const LONG_AGO = '2025-01-01T00:00:00.000000Z'

/** Stores in PostgreSQL in which a visitor of an agent has conversations, and the queries meanwhile. */
async function crowded (t: Test) {
  const stores = await openEveryStore(t, { AGENTHALL_DATABASE: await emptyDatabase(t) })
  const { conversations: { visitors, talk }, access, agents, db } = stores
  const { user: { id: owner } } = await access.createUser({ name: 'Ada' })
  const { answer: { agent: { id: agent } } } = await agents.create(owner, agentNamed('Helper'))
  const visitor = (await visitors.create(owner, newVisitor(newId('vis'), owner, agent, AT)))!.answer.id
  for (let i = 0; i < CONVERSATIONS; i++) await talk.begin(owner, agent, 'api', { visitor })
  const left = () => db.read(() => db.column<[Id], number>('select count(*) from conversations where agent_id = ?').get(agent))
  const background = async () => {
    const begun = await stores.work((error) => { throw error })
    t.teardown(() => begun.stop())
    return begun
  }
  return { ...stores, owner, agent, visitor, left, background }
}

/** How many statements cross the network while something is done. */
async function askedFor (work: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype
  let count = 0
  pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
    count++
    return Reflect.apply(query, this, asked)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return count
}

type Crowded = Awaited<ReturnType<typeof crowded>>

/** Ways in which conversations are removed, each after its preparation. */
const WAYS: Record<string, (stores: Crowded) => Promise<() => Promise<unknown>>> = {
  'with their visitor': async ({ privacy, owner, visitor }) => () => privacy.store.erase(owner, visitor),
  async 'when their time is over' ({ privacy, agents, db, owner, agent }) {
    await agents.update(owner, agent, (kept) => (
      { ...kept, gdpr_settings: { ...kept.gdpr_settings, data_retention_days: 30 } }
    ))
    const age = db.objects('update conversations set created_at = ?, last_message_at = ?')
    await db.atomically(() => age.run(LONG_AGO, LONG_AGO))
    return () => privacy.store.retain(new AbortController().signal)
  },
  async 'with their agent' ({ agents, background, owner, agent }) {
    const { settled } = await background()
    await settled()
    return async () => {
      await agents.delete(owner, agent, () => undefined)
      await settled()
    }
  }
}

// Was wrong: each conversation was queried separately, in its own transaction: 14 to 17 statements for each.
for (const [way, prepare] of Object.entries(WAYS)) {
  t.test(`conversations that are removed ${way} cross the network less than twice each`, { skip }, async (t) => {
    const stores = await crowded(t)
    const remove = await prepare(stores)
    const asked = await askedFor(remove)
    t.equal(await stores.left(), 0, 'nothing is left')
    t.ok(asked < 2 * CONVERSATIONS, `${asked} statements for ${CONVERSATIONS}`)
  })
}
