import BetterSqlite3 from 'better-sqlite3'
import { nativeBinding } from '../../process/assets.ts'
import { runMigration, type Migration } from '../sqlite/migrate.ts'
import { inPostgres } from './dialect.ts'

/*
 * Both engines have the same tables: migrations are written for SQLite, and translated for PostgreSQL by their effect.
 * The storage classes are the same: integers, text, bytes; booleans are 0 and 1.
 */

const TYPES: Readonly<Record<string, string>> = {
  integer: 'bigint', text: 'text collate "C"', blob: 'bytea', real: 'double precision'
}

/** Columns that once contained texts and now contain bytes. */
const BYTES: ReadonlySet<string> = new Set(['passage_groups.data'])

interface Column { name: string, type: string, notnull: number, dflt_value: string | null, pk: number }
interface Foreign { id: number, seq: number, table: string, from: string, to: string, on_delete: string }
interface Kept { type: 'table' | 'index' | 'trigger', name: string, tbl_name: string, sql: string }

/** Tables that exist only in files of older programs. */
const GONE = /^passage_(?:index|terms)/

/** The objects of an SQLite database, from its schema. */
type Schema = Map<string, Kept>

/**
 * Translates migrations for PostgreSQL, statement by statement: each is run on SQLite's tables without rows, and its
 * changes to the schema are what has to be applied.
 */
export class Schemas {
  readonly #db = new BetterSqlite3(':memory:', nativeBinding())

  constructor (had: readonly Migration[]) {
    for (const { sql } of had) runMigration(this.#db, sql)
  }

  /** The statements that create the current tables, if there are none. */
  whole (): string[] {
    const kept = [...schemaOf(this.#db).values()]
    const tables = kept.filter(({ type }) => type === 'table').map(({ name }) => name)
    return [
      ...tables.flatMap((name) => tableOf(this.#db, name)),
      ...tables.flatMap((name) => foreignKeysOf(this.#db, name)),
      ...kept.filter(({ type }) => type === 'index').map(({ sql }) => indexOf(sql)),
      ...kept.filter(({ type }) => type === 'trigger').flatMap(triggerOf)
    ]
  }

  /** The statements for one more migration. */
  next ({ sql }: Migration): string[] {
    return sql.split('--> statement-breakpoint').flatMap(statementsIn).flatMap((statement) => this.#done(statement))
  }

  close () {
    this.#db.close()
  }

  #done (statement: string): string[] {
    if (/^pragma/i.test(statement)) return []
    const before = schemaOf(this.#db)
    const columns = columnsOf(this.#db, before)
    this.#db.exec(statement)
    const renamed = RENAMED.exec(statement)
    if (renamed) return [quoted(statement)]
    const after = schemaOf(this.#db)
    const changed = changesOf(this.#db, { before, after, columns })
    return changed ?? [inPostgres(statement).text]
  }
}

const RENAMED = /^alter table \S+ rename/i

/** The statements in a part of a migration, without comments; one that creates a trigger is a whole part. */
function statementsIn (text: string): string[] {
  const plain = text.replaceAll(/^\s*--.*$/gm, '').trim()
  if (/^create trigger\b/i.test(plain)) return [plain]
  return [...plain.matchAll(/(?:'(?:[^']|'')*'|[^;'])+/g)].map(([statement]) => statement.trim()).filter(Boolean)
}

function schemaOf (db: BetterSqlite3.Database): Schema {
  const rows = db.prepare<[], Kept>(`
    select type, name, tbl_name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid`).all()
  return new Map(rows.filter(({ tbl_name: table }) => !GONE.test(table)).map((kept) => [kept.name, kept]))
}

const columnsOf = (db: BetterSqlite3.Database, schema: Schema) =>
  new Map([...schema.values()].filter(({ type }) => type === 'table').map(({ name }) => [name, columnsIn(db, name)]))

const columnsIn = (db: BetterSqlite3.Database, table: string) => db.pragma(`table_info(\`${table}\`)`) as Column[]

/** The statements for a change of the schema; undefined if there is none. */
function changesOf (
  db: BetterSqlite3.Database,
  { before, after, columns }: { before: Schema, after: Schema, columns: Map<string, Column[]> }
): string[] | undefined {
  const gone = [...before.values()].filter(({ name }) => !after.has(name))
  const made = [...after.values()].filter(({ name }) => !before.has(name))
  const altered = [...after.values()].filter(({ name, type, sql }) =>
    type === 'table' && before.has(name) && before.get(name)!.sql !== sql)
  if (gone.length + made.length + altered.length === 0) return undefined
  const isTableGone = new Set(gone.filter(({ type }) => type === 'table').map(({ name }) => name))
  return [
    ...gone.filter((one) => one.type === 'table' || !isTableGone.has(one.tbl_name)).map(dropped),
    ...made.flatMap((one) => madeOf(db, one)),
    ...altered.flatMap(({ name }) => alteredOf(name, columns.get(name)!, columnsIn(db, name)))
  ]
}

function dropped ({ type, name, tbl_name: table }: Kept): string {
  return type === 'trigger' ? `drop trigger "${name}" on "${table}"` : `drop ${type} "${name}"`
}

function madeOf (db: BetterSqlite3.Database, kept: Kept): string[] {
  if (kept.type === 'index') return [indexOf(kept.sql)]
  if (kept.type === 'trigger') return triggerOf(kept)
  return [...tableOf(db, kept.name), ...foreignKeysOf(db, kept.name)]
}

function alteredOf (table: string, before: Column[], after: Column[]): string[] {
  const [had, has] = [before, after].map((columns) => new Set(columns.map(({ name }) => name)))
  return [
    ...before.filter(({ name }) => !has!.has(name)).map(({ name }) => `alter table "${table}" drop column "${name}"`),
    ...after.filter(({ name }) => !had!.has(name)).map((column) =>
      `alter table "${table}" add column ${columnOf(table, column)}`)
  ]
}

function tableOf (db: BetterSqlite3.Database, name: string): string[] {
  const columns = columnsIn(db, name)
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  const id = keys.length === 1 && keys[0]!.type.toLowerCase() === 'integer' ? keys[0] : undefined
  const parts = columns.map((column) => column === id
    ? `"${column.name}" bigint generated by default as identity primary key`
    : columnOf(name, column))
  if (!id && keys.length > 0) parts.push(`primary key (${listed(keys.map(({ name }) => name))})`)
  return [`create table "${name}" (\n  ${parts.join(',\n  ')}\n)`, ...id ? numbering(name, id.name) : []]
}

function columnOf (table: string, column: Column): string {
  const type = BYTES.has(`${table}.${column.name}`) ? 'blob' : column.type.toLowerCase()
  return `"${column.name}" ${TYPES[type]!}${column.notnull ? ' not null' : ''}${defaultOf(column)}`
}

/** A row inserted without a number gets the next one, as in SQLite. */
const numbering = (table: string, id: string) => [
  `create or replace function "${table} numbered"() returns trigger language plpgsql as $$ begin
    new."${id}" := nextval(pg_get_serial_sequence('"${table}"', '${id}')); return new; end $$`,
  `create trigger "${table} numbered" before insert on "${table}" for each row when (new."${id}" is null) execute function "${table} numbered"()`
]

const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

function defaultOf ({ dflt_value: value }: Column): string {
  if (value === null) return ''
  return ` default ${({ true: '1', false: '0' } as Record<string, string>)[value] ?? value}`
}

function foreignKeysOf (db: BetterSqlite3.Database, table: string): string[] {
  const keys = Map.groupBy(db.pragma(`foreign_key_list(\`${table}\`)`) as Foreign[], ({ id }) => id)
  return [...keys.values()].map((columns) => {
    const { table: other, on_delete: onDelete } = columns[0]!
    const [from, to] = [columns.map(({ from }) => from), columns.map(({ to }) => to)]
    return `alter table "${table}" add foreign key (${listed(from)}) references "${other}" (${listed(to)}) on delete ${onDelete} deferrable`
  })
}

const quoted = (sql: string) => sql.replaceAll('`', '"')

function indexOf (sql: string): string {
  return quoted(sql)
    .replace(/,(case .* end)\)/is, ',($1))')
    .replaceAll(/("\w+") collate nocase/gi, '(lower($1))')
    .replace(/\bnot ("\w+"(?:\."\w+")?)$/i, '$1 = 0')
}

/** A trigger becomes a function and a trigger that calls it. */
function triggerOf ({ name, sql }: Kept): string[] {
  const parts = /(AFTER|BEFORE)\s+(.*?)\s+ON\s+"?(\w+)"?\s+(?:FOR EACH ROW\s+)?(?:WHEN\s+([\s\S]*?)\s+)?BEGIN\s+([\s\S]*)END\s*;?\s*$/i
    .exec(inTriggers(sql))
  if (!parts) throw new Error(`The trigger ${name} is written in a way that cannot be told to PostgreSQL`)
  const [, time, event, table, when, body] = parts
  return [
    `create or replace function "${name}"() returns trigger language plpgsql as $$ begin\n${body} return null; end $$`,
    `create trigger "${name}" ${time} ${event} on "${table}" for each row ${when ? `when (${when}) ` : ''}execute function "${name}"()`
  ]
}

const inTriggers = (sql: string) => quoted(sql)
  .replaceAll(/CAST\(([^()]*->> '[^']*') AS INTEGER\)/gi, 'whole_number($1)')
  .replaceAll(/INSERT OR IGNORE INTO ("\w+") VALUES (\([^)]*\))/gi, 'INSERT INTO $1 VALUES $2 ON CONFLICT DO NOTHING')
  .replaceAll(/CAST\((.*) AS BLOB\)/gi, "convert_to($1, 'UTF8')")
  .replaceAll(/ON CONFLICT \(([^)]*)\) DO UPDATE SET "bytes" = "bytes" \+/gi,
    'ON CONFLICT ($1) DO UPDATE SET "bytes" = "stored_bytes"."bytes" +')
