import type BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { connect } from '../../../src/platform/storage/sqlite/database.ts'
import { planOf, recordStatements } from '../../statements.ts'

const statements = recordStatements()
const { site } = await import('../../widget/helper.ts')

/** Columns whose values many rows share: whoever looks by these alone walks through all that somebody has. */
const WIDE = [
  'owner_id', 'owner', 'agent_id', 'agent', 'account_id', 'status', 'handled_by', 'outcome', 'state', 'kind', 'channel',
  'lane', 'form', 'day', 'name', 'role', 'type'
]

/** The production app with what an account can have of each, and the ids of it. */
async function furnished (t: Parameters<typeof site>[0]) {
  const { visit, begin, ...built } = await site(t)
  const { me, id } = built
  const page = await visit()
  const visitor = page.session.visitor.id
  const { conversation, say } = await begin(page)
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const ticket = (await me.post(`/v1/conversations/${conversation}/tickets`, {
    requester: { email: 'ada@example.com' }, subject: 'x'
  })).json().data.id
  await me.post(`/v1/conversations/${conversation}/notes`, { text: 'x' })
  const webhook = (await me.post('/v1/webhooks', {
    url: 'https://example.com/hook', events: ['message.completed']
  })).json().data.id
  await me.post(`/v1/webhooks/${webhook}/test`)
  await built.user()
  await built.settled()
  /** The file, when the app is closed. */
  const file = async () => {
    const { db } = built.stores
    await built.close()
    const raw = connect(db.file)
    t.teardown(() => raw.close())
    return raw
  }
  return { ...built, page, visit, begin, file, names: { id, visitor, conversation, ticket } }
}

/** Makes so many rows of each row there is, as an account of that size has them, and tells SQLite how many they are. */
function grow (raw: BetterSqlite3.Database, times: number) {
  raw.pragma('foreign_keys = off')
  const triggers = raw.prepare("select name, sql from sqlite_schema where type = 'trigger'").all() as Array<
    { name: string, sql: string }
  >
  for (const { name } of triggers) raw.exec(`drop trigger "${name}"`)
  const tables = raw.prepare(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
  ).pluck().all() as string[]
  for (const table of tables) multiply(raw, table, times)
  for (const { sql } of triggers) raw.exec(sql)
  raw.pragma('foreign_keys = on')
  raw.exec('analyze')
}

function multiply (raw: BetterSqlite3.Database, table: string, times: number) {
  const columns = raw.prepare('select name, type, pk from pragma_table_info(?)').all(table) as Array<
    { name: string, type: string, pk: number }
  >
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1
  const indexed = new Set(raw.prepare(
    'select c.name from pragma_index_list(?) i, pragma_index_info(i.name) c'
  ).pluck().all(table))
  const values = columns.map(({ name, type, pk }) => {
    if (pk > 0 && isAlone && /^int/i.test(type)) return 'null'
    if (WIDE.includes(name) || !(pk > 0 || indexed.has(name))) return `"${name}"`
    return /^int/i.test(type) ? `"${name}" + 1000 * copy` : `"${name}" || '-' || copy`
  })
  raw.exec(`with recursive more (copy) as (select 1 union all select copy + 1 from more where copy < ${times})
    insert or ignore into "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
    select ${values.join(', ')} from (select * from "${table}" limit 3), more`)
}

/** The steps of a plan that walk through what grows; of an index, by columns that many rows share. */
function walksIn (plan: readonly string[]): string[] {
  return plan.filter((step) => {
    if (/^SCAN /.test(step)) return !/VIRTUAL TABLE|CONSTANT ROW|^SCAN \(|^SCAN sqlite_/.test(step)
    const terms = /^SEARCH .*\((.*?)\)(?: LEFT-JOIN)?$/.exec(step)?.[1]
    return terms !== undefined && !terms.split(' AND ').some((term) => {
      const [, column] = /^(\S+)=\?$/.exec(term) ?? []
      return column !== undefined && !WIDE.includes(column)
    })
  })
}

const inLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').replace(/^(select) .{80,}? (from )/i, '$1 … $2').trim()

/** The statements about these tables that walk, and the steps in which they do. */
const walking = (raw: BetterSqlite3.Database, tables: RegExp) => Object.fromEntries([...statements.values()]
  .filter(({ sql }) => tables.test(sql))
  .map((statement) => [inLine(statement.sql), walksIn(planOf(raw, statement))] as const)
  .filter(([, steps]) => steps.length > 0))

const TALKS = /\bfrom (?:conversations|messages|tickets|visitors)\b/

t.test('a visitor\'s conversations and a conversation\'s tickets are not looked for among all there are', async (t) => {
  const { me, page, visit, names, file } = await furnished(t)
  statements.clear()
  await visit({ before: page.token })
  await me.get(`/v1/conversations?visitor=${names.visitor}`)
  await me.get(`/v1/agents/${names.id}/conversations?visitor=${names.visitor}&status=open&handled_by=agent`)
  await me.get(`/v1/tickets?conversation=${names.conversation}&agent=${names.id}&status=open`)
  await me.delete(`/v1/visitors/${names.visitor}`)
  const raw = await file()
  t.strictSame(walking(raw, TALKS), {}, 'as SQLite plans without statistics')
  grow(raw, 2000)
  t.strictSame(walking(raw, TALKS), {}, 'and with those of a large account')
})
