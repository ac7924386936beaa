import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { backup } from '../src/platform/backup.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { Database } from '../src/platform/database.ts'
import { rowCounts } from '../src/platform/migrate.ts'
import { accounting, openStores } from '../src/stores.ts'
import { VERSION } from '../src/version.ts'

// Run once for each release: keeps a database as this version writes it, with something in every table, for
// test/platform/upgrade.test.ts to upgrade ever after.

const to = path.join(import.meta.dirname, '../test/fixtures/databases', `${VERSION}.db`)
if (existsSync(to) && !process.argv.includes('--force')) throw new Error(`${to} is there already; a released version's file is never made again. (--force does.)`)

const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
const clock = systemClock()
const stores = await openStores({ directory, clock })
const app = await buildApp({ config: readConfig({}), stores, clock })
const { key } = await stores.access.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' })
await stores.access.createUser({ name: 'Grace ❤ Hopper', tier: 'free' })
async function send (url: string, payload: object) {
  const once = JSON.stringify(payload).slice(0, 100).replaceAll(/[^!-~]/g, '.')
  const { statusCode, body } = await app.inject({ method: 'POST', url, payload, headers: { authorization: `Api-Key ${key}`, 'idempotency-key': once } })
  if (statusCode !== 201) throw new Error(`${statusCode} ${body}`)
}
for (const name of ['Support', 'Ångström 😀 売', 'x'.repeat(200)]) await send('/v1/agents/', { name, systemPrompt: `I am ${name}.\nLine two.`, description: 'd'.repeat(3000) })
await send('/v1/api_keys/', { name: 'Deploy', permissions: ['MANAGE_AGENTS'], expires_at: '2030-01-31T12:00:00Z' })
await stores.access.revokeAnyKey(2)
fillKnowledge(stores.db)
const empty = [...rowCounts(stores.db.raw)].filter(([, rows]) => rows === 0).map(([table]) => table)
if (empty.length) throw new Error(`Nothing is in ${empty.join(', ')}: make this script write something there.`)
await app.close()
stores.close()
mkdirSync(path.dirname(to), { recursive: true })
console.log(to, await backup({ file: stores.db.file, to, force: true, accounting }))
rmSync(directory, { recursive: true })

/** A folder in a folder, a source that was crawled and one below it, one that failed, one that is not selected. */
function fillKnowledge ({ raw }: Database) {
  const now = '2026-11-20T15:04:05.123456Z'
  const folder = raw.prepare('insert into knowledge_folders (agent_id, owner_id, parent_id, name, created_at, updated_at) values (1, 1, ?, ?, ?, ?)')
  folder.run(null, 'Handbook', now, now)
  folder.run(1, 'Chapter', now, now)
  const source = raw.prepare(`insert into knowledge_sources (agent_id, owner_id, urls, file_path, google_drive_file_id, title, status, training_status,
    error, type, folder_id, parent_id, metadata, is_selected, sub_urls, total_training_usage_bytes, created_at, updated_at)
    values (1, 1, ?, ?, ?, ?, ?, ?, ?, ?, 2, ?, '{}', ?, null, ?, '${now}', '${now}')`)
  source.run('["https://example.com/"]', '', null, 'Site', 'Success', 'Success', null, 'url', null, 1, 700)
  source.run('["https://example.com/a"]', '', null, 'Page', 'Success', 'Success', null, 'url', 1, 1, 300)
  source.run('[]', 'files/a.pdf', null, 'Broken', 'Failed', 'Failed', '{"code":"too_large","message":"Too large.","retryable":false}', 'file', null, 1, 0)
  source.run('[]', '', 'drive-1', 'Not selected', 'Success', 'Success', null, 'google_drive', null, 0, 50)
  raw.prepare('update agents set total_training_usage_bytes = 1000 where id = 1').run()
}
