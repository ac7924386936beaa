import BetterSqlite3 from 'better-sqlite3'
import { systemClock } from '../../../src/platform/clock.ts'
import { knownMigrations, runMigration, type Migration } from '../../../src/platform/storage/sqlite/migrate.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openStores } from '../../../src/stores.ts'

// Upgrades a data directory by one step that takes a while. `careless`: the step is not one transaction.

/** Rebuilds the table that all others reference, as the migration generator does it, with some data. */
export function slowRebuild (): Migration {
  const raw = new BetterSqlite3(':memory:')
  for (const { sql } of knownMigrations()) runMigration(raw, sql)
  const users = raw.prepare("select sql from sqlite_schema where name = 'users'").pluck().get() as string
  raw.close()
  return {
    name: 'slow-rebuild',
    sql: [
      'create table users_as_they_were as select * from users;',
      'drop table users;',
      // The longest phase is the one in which the table is gone.
      'create table weight as with recursive c (x) as (select 1 union all select x + 1 from c where x < 150000) select x, hex(randomblob(20)) from c;',
      `${users};`,
      'insert into users select * from users_as_they_were;',
      'drop table users_as_they_were;',
      'drop table weight;'
    ].join('--> statement-breakpoint')
  }
}

if (import.meta.main) {
  const [directory = '', careless] = process.argv.slice(2)
  const step = slowRebuild()
  process.stderr.write('begins\n')
  if (careless) {
    const raw = new BetterSqlite3(dataFile(directory))
    raw.pragma('foreign_keys = OFF')
    for (const statement of step.sql.split('--> statement-breakpoint')) raw.exec(statement)
    raw.pragma(`user_version = ${knownMigrations().length + 1}`)
    raw.close()
  } else {
    const stores = await openStores({ directory, clock: systemClock(), known: [...knownMigrations(), step] })
    await stores.close()
  }
}
