import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import type { Config } from '../../src/config.ts'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import type { SqliteDatabase } from '../../src/platform/storage/sqlite/database.ts'
import { knownMigrations } from '../../src/platform/storage/sqlite/migrate.ts'
import type { Stores } from '../../src/stores.ts'
import { rawOf } from './raw.ts'

/** The address of a PostgreSQL server where tests may create databases, each its own. */
const SERVER = process.env.TEST_POSTGRES
/** Whether every app of this run keeps its tables there. */
const IS_EVERYWHERE = process.env.TEST_TABLES === 'postgres'

/** Why a test is skipped that needs more of a server than the in-memory one has: sessions that wait for each other. */
export const skip = SERVER ? false : 'needs the address of a PostgreSQL server in TEST_POSTGRES'

/** Why a test is skipped where the tables are not in a file. */
export const fileAlone = IS_EVERYWHERE ? 'is about the data file' : false

/** What opening an app needs of a test: a directory, and what is done at the end of it. */
export type Scope = Pick<Test, 'teardown' | 'fail' | 'testdir'>

/** Stores with tables that a test reads with its own statements. */
export type TestStores = Stores & { db: SqliteDatabase }

/** Records in a directory which database its tables are in, for as long as it is the same directory. */
const ADDRESS = 'database-of-this-test'

/** The settings of an app of this directory whose tables are where this run of the tests wants them. */
export async function ownDatabase (t: Scope, directory: string): Promise<Record<string, string>> {
  if (!IS_EVERYWHERE) return {}
  if (!existsSync(path.join(directory, ADDRESS))) {
    const address = await newDatabase(t, SERVER!)
    mkdirSync(directory, { recursive: true })
    writeFileSync(path.join(directory, ADDRESS), address)
  }
  return databaseOf(directory)
}

/** The settings with which a command finds the data of an app of this directory. */
export function databaseOf (directory: string): Record<string, string> {
  const file = path.join(directory, ADDRESS)
  return existsSync(file) ? { AGENTHALL_DATABASE: readFileSync(file, 'utf8') } : {}
}

/**
 * A database without tables, on the server of this run or else on an in-memory one: slow, alone, and available on any
 * machine, for one test at a time.
 */
export async function emptyDatabase (t: Test): Promise<string> {
  if (SERVER) return await newDatabase(t, SERVER, 'template0')
  const address = await (inMemory ??= startInMemory())
  const client = await connected(address)
  await client.query('drop schema public cascade; create schema public')
  await client.end()
  return address
}

let inMemory: Promise<string> | undefined

async function startInMemory (): Promise<string> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'in-memory.ts')], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const [line] = await once(createInterface(child.stdout), 'line') as [string]
  child.unref()
  // Closing it ends the child.
  Reflect.get(child.stdin, 'unref')?.call(child.stdin)
  child.stdout.destroy()
  return line
}

/** A separate database, with empty tables. */
export async function newDatabase (t: Scope, server: string, from?: string): Promise<string> {
  const admin = await connected(server)
  const template = from ?? await templateOn(admin, server)
  const name = `t${process.pid}_${Math.random().toString(36).slice(2)}`
  await admin.query(`create database ${name} template ${template}`)
  t.teardown(async () => {
    // A closed connection may still be writing what nobody waited for.
    const ours = "select 1 from pg_stat_activity where datname = $1 and application_name like 'agenthall%'"
    for (let i = 0; i < 200 && (await admin.query(ours, [name])).rowCount! > 0; i++) await setTimeout(10)
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  return addressOf(server, name)
}

const addressOf = (server: string, name: string) => new URL(`/${name}`, server).href

export async function connected (address: string) {
  const client = new pg.Client({ connectionString: address })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The template database: its tables are created once for all runs of this version. */
async function templateOn (admin: pg.Client, server: string): Promise<string> {
  const name = `agenthall_template_${knownMigrations().length}`
  await admin.query('select pg_advisory_lock(1)')
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      await admin.query(`create database ${name}_made`)
      const directory = process.env.TMPDIR ?? '/tmp'
      await openPostgres({ address: addressOf(server, `${name}_made`), directory }, ({ close }) => close())
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [`${name}_made`])
      await admin.query(`alter database ${name}_made rename to ${name}`)
    }
  } finally {
    await admin.query('select pg_advisory_unlock(1)')
  }
  return name
}

/** Stores that a test inspects: in PostgreSQL too with the API of better-sqlite3. */
export function looked (t: Scope, { DATABASE: address }: Config, stores: Stores): TestStores {
  if (address !== '') {
    const raw = rawOf(address)
    t.teardown(() => raw.close())
    Object.assign(stores.db, { raw })
  }
  return stores as TestStores
}
