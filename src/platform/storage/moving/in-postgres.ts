import type pg from 'pg'
import { textKept } from '../postgres/database.ts'
import { reading } from '../postgres/driving.ts'
import type { Cell, Column, Table, Target } from './move.ts'

/** Rows read at once. */
const BATCH = 500

const ARRAYS: Readonly<Record<Column['type'], string>> = {
  integer: 'bigint[]', real: 'double precision[]', text: 'text[]', blob: 'bytea[]'
}
const TYPES: Readonly<Record<string, Column['type']>> = {
  bigint: 'integer', 'double precision': 'real', text: 'text', bytea: 'blob'
}

interface Told { table_name: string, column_name: string, data_type: string }
interface Keyed { table_name: string, column_name: string }

/** The tables of a database, over one connection with an open transaction. */
export function tablesInPostgres (client: pg.ClientBase): Target {
  return {
    tables: async () => await tablesIn(client),
    async * rows ({ name, columns, key }) {
      const cursor = `moving_${name}`
      await client.query(`declare "${cursor}" no scroll cursor for
        select ${listed(columns)} from "${name}" order by ${key.map((one) => `"${one}"`).join(', ')}`)
      for (;;) {
        const { rows } = await client.query<Cell[]>({ text: `fetch ${BATCH} from "${cursor}"`, rowMode: 'array', types: reading })
        if (rows.length > 0) yield rows
        if (rows.length < BATCH) break
      }
      await client.query(`close "${cursor}"`)
    },
    async given () {
      const numbers = new Map<string, number>()
      for (const { name, columns } of await tablesIn(client)) {
        const sequence = await sequenceOf(client, name, columns[0]!.name)
        if (sequence === undefined) continue
        const { rows } = await client.query<{ last: string | null }>(
          'select pg_sequence_last_value(cast($1 as regclass)) as last', [sequence])
        if (rows[0]?.last) numbers.set(name, Number(rows[0].last))
      }
      return numbers
    },
    kept: (cell) => typeof cell === 'string' ? textKept(cell) : cell,
    async write ({ name, columns }, rows) {
      const arrays = columns.map(({ type }, at) => `$${at + 1}::${ARRAYS[type]}`)
      await client.query(
        `insert into "${name}" (${listed(columns)}) select * from unnest(${arrays.join(', ')})`,
        columns.map((_, at) => rows.map((row) => row[at]))
      )
    },
    async give (numbers) {
      for (const { name, columns } of await tablesIn(client)) {
        const first = columns[0]!.name
        const sequence = await sequenceOf(client, name, first)
        if (sequence === undefined) continue
        const { rows } = await client.query<{ most: string | null }>(`select max("${first}") as most from "${name}"`)
        const most = Math.max(Number(rows[0]?.most ?? 0), numbers.get(name) ?? 0)
        if (most > 0) await client.query('select setval(cast($1 as regclass), $2)', [sequence, most])
      }
    }
  }
}

/** Runs `work` in a transaction without triggers and before foreign keys are checked. */
export async function withoutTriggers<T> (client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level repeatable read')
  try {
    await client.query('set constraints all deferred')
    const names = (await tablesIn(client)).map(({ name }) => name)
    for (const name of names) await client.query(`alter table "${name}" disable trigger user`)
    const done = await work()
    // Pending checks block changes to the table.
    await client.query('set constraints all immediate')
    for (const name of names) await client.query(`alter table "${name}" enable trigger user`)
    await client.query('commit')
    return done
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function sequenceOf (client: pg.ClientBase, table: string, column: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string | null }>(
    'select pg_get_serial_sequence($1, $2) as name', [`"${table}"`, column])
  return rows[0]?.name ?? undefined
}

async function tablesIn (client: pg.ClientBase): Promise<Table[]> {
  const { rows: columns } = await client.query<Told>(`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name <> 'schema_version' order by table_name collate "C", ordinal_position`)
  const { rows: keys } = await client.query<Keyed>(`
    select table_name, column_name from information_schema.key_column_usage natural join information_schema.table_constraints
    where table_schema = 'public' and constraint_type = 'PRIMARY KEY' order by table_name, ordinal_position`)
  return [...Map.groupBy(columns, ({ table_name: name }) => name)].map(([name, those]) => {
    const key = keys.filter((one) => one.table_name === name).map(({ column_name: column }) => column)
    return {
      name,
      columns: those.map((one) => ({ name: one.column_name, type: TYPES[one.data_type]! })),
      key: key.length > 0 ? key : those.map(({ column_name: column }) => column)
    }
  })
}

const listed = (columns: readonly Column[]) => columns.map(({ name }) => `"${name}"`).join(', ')
