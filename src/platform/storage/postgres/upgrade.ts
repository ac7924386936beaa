import pg from 'pg'
import { Refusal } from '../../errors.ts'
import { tablesInPostgres } from '../moving/in-postgres.ts'
import type { Migration } from '../sqlite/migrate.ts'
import { FUNCTIONS, inPostgres } from './dialect.ts'
import { Schemas } from './schema.ts'

/** Advisory lock for creating or upgrading the tables. */
const MAKING = 4_147_484

/**
 * Creates the tables, or upgrades them to the newest version, atomically and one process at a time. Refuses with
 * `not_found` when there are none and none are to be created, and with `conflict` when they are of a newer program, or
 * of an older one and may not be changed now.
 */
export async function upgrade (
  address: string, known: readonly Migration[], { begin, mayChange = async () => true }: {
    begin: boolean, mayChange?: () => Promise<boolean>
  }
) {
  // No time limit.
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [MAKING])
    const version = await versionOf(client, begin)
    // A rebuilt table continues the numbering of the old one.
    const numbers = version === undefined ? new Map<string, number>() : await tablesInPostgres(client).given()
    const statements = statementsFor(known, version)
    if (version !== undefined && statements.length > 0 && !await mayChange()) throw inUseByOlder()
    for (const statement of statements) await client.query(statement)
    if (statements.length > 0) await tablesInPostgres(client).give(numbers)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

const inUseByOlder = () => new Refusal(
  'conflict',
  'The tables in this database are of an older Agenthall, and others are serving them. Stop all of them, start one of this version, then the rest.'
)

/** Refusal for opening tables that were moved elsewhere. */
const movedTo = (to: string) => new Refusal(
  'conflict', `What was kept here was moved to ${to}. Serve it from there; what is here is as it was when it was moved.`
)

/** The version of the tables of a database, and of the database itself. */
export async function standingIn (address: string): Promise<{ version: number, postgres: string }> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ postgres: string }>("select current_setting('server_version') as postgres")
    return { version: (await versionOf(client, false))!, postgres: rows[0]!.postgres }
  } finally {
    await client.end().catch(() => {})
  }
}

/** The version of the tables; undefined if there are none. */
async function versionOf (client: pg.Client, begin: boolean): Promise<number | undefined> {
  const { rowCount } = await client.query("select 1 from pg_tables where tablename = 'schema_version'")
  if (rowCount === 0 && !begin) {
    throw new Refusal('not_found', 'There are no Agenthall tables in this database. Check AGENTHALL_DATABASE.')
  }
  if (rowCount === 0) return undefined
  const { rows } = await client.query<{ version: string, moved_to: string | null }>('select * from schema_version')
  const { version, moved_to: to } = rows[0]!
  if (to !== null) throw movedTo(to)
  return Number(version)
}

/** The statements for tables of a version. */
function statementsFor (known: readonly Migration[], version: number | undefined): string[] {
  if (version === known.length) return []
  if (version !== undefined && version > known.length) {
    throw new Refusal('conflict', 'The tables in this database were made by a newer Agenthall. Start that one.')
  }
  const schemas = new Schemas(known.slice(0, version))
  try {
    return version === undefined
      ? [
          ...FUNCTIONS, ...schemas.whole(), ...firstRows(known),
          'create table schema_version (version bigint not null, moved_to text)',
          `insert into schema_version values (${known.length})`
        ]
      : [
          ...FUNCTIONS, ...known.slice(version).flatMap((one) => schemas.next(one)),
          `update schema_version set version = ${known.length}`
        ]
  } finally {
    schemas.close()
  }
}

/** Rows that migrations insert into new tables. */
const firstRows = (known: readonly Migration[]) =>
  known.flatMap(({ sql }) => sql.split(/;|--> statement-breakpoint/))
    .filter((one) => /^\s*insert into \S+ values/i.test(one))
    .map((one) => inPostgres(one).text)
