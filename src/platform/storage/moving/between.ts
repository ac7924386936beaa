import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { Refusal } from '../../errors.ts'
import { giveToOwnerOf, makeDirectory } from '../../paths.ts'
import { commandLine } from '../../process/command-line.ts'
import { openingRefusal } from '../postgres/refusals.ts'
import { SERVING } from '../postgres/open.ts'
import { upgrade } from '../postgres/upgrade.ts'
import { connect } from '../sqlite/connect.ts'
import { takeLock } from '../sqlite/disk/lock.ts'
import { beginFile, knownMigrations, migrate, migrationStatus } from '../sqlite/migrate.ts'
import { keyFileIn } from '../vault.ts'
import { emptied, sourceInFile, targetInFile, withoutTriggers } from './in-file.ts'
import { tablesInPostgres, withoutTriggers as withoutTriggersThere } from './in-postgres.ts'
import { markMoved, refuseMoved } from './mark.ts'
import { move, type Moved } from './move.ts'

type Told = (moved: Moved) => void

/**
 * Moves everything from a data file into a PostgreSQL database without tables. The file is kept, but no longer served.
 * Refuses with `conflict` when a server uses either, the file is not of this version, or there are tables already.
 */
export async function moveToPostgres (file: string, address: string, onTable: Told): Promise<Moved[]> {
  const lock = lockOf(path.dirname(file))
  const raw = connect(file)
  try {
    mustBeNewest(raw)
    return await inPostgres(address, async (client) => {
      if (await hasTables(client)) throw new Refusal('conflict', 'This database already has Agenthall tables. Choose an empty one.')
      await upgrade(address, knownMigrations(), { begin: true })
      return await undoing(client, async () => {
        const moved = await withoutTriggersThere(client, async () => {
          await emptiedThere(client)
          return await move(sourceInFile(raw), tablesInPostgres(client), onTable)
        })
        markMoved(file, nameOf(address))
        return moved
      })
    })
  } finally {
    raw.close()
    lock.release()
  }
}

/**
 * Moves everything from a PostgreSQL database into the data file of a directory that has none, and the key of
 * `keyDirectory` with it. The database is kept, but no longer served. Refuses as `moveToPostgres` does.
 */
export async function moveToFile (
  address: string, file: string, keyDirectory: string, onTable: Told
): Promise<Moved[]> {
  const directory = path.dirname(file)
  makeDirectory(directory)
  const lock = lockOf(directory)
  try {
    if (existsSync(file)) throw new Refusal('conflict', `There is already a data file in ${directory}. Choose another directory.`)
    await upgrade(address, knownMigrations(), { begin: false })
    return await inPostgres(address, async (client) => await undoingFile(file, async () => {
      beginFile(file)
      const raw = connect(file)
      try {
        await migrate(raw)
        const moved = await withoutTriggers(raw, async () => {
          emptied(raw)
          return await move(tablesInPostgres(await reading(client)), targetInFile(raw), onTable)
        })
        copyKey(keyDirectory, directory)
        await client.query('commit')
        await client.query('update schema_version set moved_to = $1', [file])
        return moved
      } finally {
        raw.close()
      }
    }))
  } finally {
    lock.release()
  }
}

/** The address of a database, without user name and password. */
function nameOf (address: string): string {
  const { host, pathname } = new URL(address)
  return `postgres://${host}${pathname}`
}

function lockOf (directory: string) {
  const lock = takeLock(directory)
  if (lock) return lock
  throw new Refusal('conflict', `A server is using ${directory}. Stop it, then move.`)
}

function mustBeNewest (raw: ReturnType<typeof connect>) {
  const known = knownMigrations()
  const { version } = migrationStatus(raw, known)
  if (version !== known.length) {
    throw new Refusal('conflict', `The data file is from an older version. Run "${commandLine('serve')}" once to upgrade it.`)
  }
  const isOld = raw.prepare(`
    select 1 from trainings where segmented = 0 and state = 'live'
    union all select 1 from passage_groups where typeof(data) = 'text'`).get() !== undefined
  if (isOld) {
    throw new Refusal(
      'conflict',
      `The index of this file is still being rebuilt after an upgrade. Run "${commandLine('serve')}" for some minutes, stop it, then move.`
    )
  }
  refuseMoved(raw.name)
}

async function inPostgres<T> (address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [SERVING])
    if (!rows[0]!.held) throw new Refusal('conflict', 'A server is using this database. Stop it, then move.')
    return await work(client)
  } catch (error) {
    throw openingRefusal(error)
  } finally {
    await client.end().catch(() => {})
  }
}

const hasTables = async (client: pg.Client) =>
  (await client.query("select 1 from pg_tables where tablename = 'schema_version' and schemaname = 'public'")).rowCount !== 0

/** Removes the rows that new tables start with. */
async function emptiedThere (client: pg.Client) {
  const names = (await tablesInPostgres(client).tables()).map(({ name }) => `"${name}"`)
  await client.query(`truncate ${names.join(', ')}`)
}

async function reading (client: pg.Client) {
  await client.query('begin isolation level repeatable read read only')
  return client
}

/** Runs work that fills newly created tables: if it fails, they are dropped. */
async function undoing<T> (client: pg.Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await client.query('drop table schema_version')
    const names = (await tablesInPostgres(client).tables()).map(({ name }) => `"${name}"`)
    await client.query(`drop table ${names.join(', ')} cascade`)
    throw error
  }
}

async function undoingFile<T> (file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    throw error
  }
}

function copyKey (from: string, to: string) {
  const [here, there] = [keyFileIn(from), keyFileIn(to)]
  if (path.resolve(here) === path.resolve(there) || !existsSync(here)) return
  if (existsSync(there) && !readFileSync(there).equals(readFileSync(here))) {
    throw new Refusal('conflict', `${there} is not the same key as ${here}. Choose another directory.`)
  }
  copyFileSync(here, there)
  giveToOwnerOf(to, there)
}
