import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { globSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { build } from '../../helper.ts'
import { readEverything } from './read-everything.ts'
import { rich } from './rich.ts'

/**
 * Statements that remove every field from everything that is stored as JSON, as if all of them had been added later, by
 * what a column makes of an entry without a field.
 */
async function emptying (): Promise<string[]> {
  const files = globSync(path.join(import.meta.dirname, '../../../schema/sqlite/*.ts'))
  const tables = (await Promise.all(files.map((file) => import(file))))
    .flatMap((module) => Object.values(module)).filter((table) => is(table, SQLiteTable))
  return tables.flatMap((table) => Object.values(getTableColumns(table)).flatMap((column) => {
    const update = `update "${getTableName(table)}" set "${column.name}" =`
    if (column.columnType === 'SQLiteTextJson') return `${update} '{}' where "${column.name}" like '{%'`
    if (column.columnType !== 'SQLiteCustomColumn') return []
    const read = column.mapFromDriverValue('[{}]') as object
    if (!Array.isArray(read)) return `${update} '{}' where "${column.name}" is not null`
    return Object.keys(read[0]).length > 0 ? `${update} '[{}]'` : []
  }))
}

t.test('what was kept before any of its fields was there is read, listed and exported', async (t) => {
  // Was wrong: deliveries, tickets, settings, sources, agents, messages, receipts and widgets' keys answered 500.
  const { me, names, stores, directory, close, settled } = await rich(t)
  const { agent, conversation } = names.all as { agent: number, conversation: string }
  const asked = async (answer: Promise<{ statusCode: number, body: string }>) => {
    const { statusCode, body } = await answer
    t.ok(statusCode < 300, body)
  }
  await asked(me.put('/v1/business', { time_zone: 'Europe/Berlin', hours: { monday: [] }, notices: { waiting: 'Wait.' } }))
  await asked(me.post(`/v1/agents/${agent}/knowledge_sources`, { urls: ['https://no.example/'], depth: 1 }))
  const other = (await me.post('/v1/visitors', { agent, name: 'Gone' })).json().data.id
  await asked(me.delete(`/v1/visitors/${other}`))
  await settled()
  const { raw } = stores.db
  raw.exec("update messages set usage = '{}' where role = 'agent'")
  raw.exec("update tickets set error = '{}'; update privacy_receipts set copies = '[{}]'")
  const first = await emptying()
  t.ok(first.length > 15, `${first.length} columns`)
  for (const sql of first) raw.exec(sql)
  await close()

  const opened = await build(t, {}, { directory })
  const { read, wrong } = await readEverything(opened, me.id)
  t.strictSame(wrong, [])
  t.ok(read > 60, `${read} answers`)
  const again = opened.withKey(me.key)
  const agentRead = (await again.get(`/v1/agents/${agent}`)).json().data
  t.equal(agentRead.behavior.followupCount, 0)
  const messages = (await again.get(`/v1/conversations/${conversation}/messages`)).json().data
  t.strictSame(messages.at(-1).usage, {
    input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null, first_ms: null, total_ms: null
  })
})
