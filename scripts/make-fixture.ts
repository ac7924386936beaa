import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { backup } from '../src/platform/storage/sqlite/backup.ts'
import { systemClock } from '../src/platform/clock.ts'
import { rowCounts } from '../src/platform/storage/sqlite/migrate.ts'
import { accounting } from '../src/data-file.ts'
import { openFileStores } from '../src/stores.ts'
import { VERSION } from '../src/version.ts'

// Run once for each release: stores a database as this version writes it, with something in every table, for
// test/platform/storage/upgrade.test.ts to upgrade from then on.

const to = path.join(import.meta.dirname, '../test/fixtures/databases', `${VERSION}.db`)
if (existsSync(to) && !process.argv.includes('--force')) {
  throw new Error(`${to} is there already; a released version's file is never made again. (--force does.)`)
}

const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
const clock = systemClock()
// Search by meaning too, with a service that embeds everything the same.
const service = createServer(async (request, reply) => {
  const { input } = JSON.parse((await request.toArray()).join('')) as { input: string[] }
  reply.end(JSON.stringify({ data: input.map((_text, index) => ({ index, embedding: [1, 0.5, 0.25] })) }))
}).listen(0, '127.0.0.1')
await once(service, 'listening')
const embeddings = {
  AGENTHALL_EMBEDDINGS_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
  AGENTHALL_EMBEDDINGS_DIMENSIONS: '3'
}
const stores = await openFileStores({ config: readConfig(embeddings), directory, clock })
const app = await buildApp({ config: readConfig({}), stores, clock })
const { key } = await stores.access.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' })
await stores.access.createUser({ name: 'Grace ❤ Hopper', tier: 'free' })
async function send (url: string, payload: object) {
  const idempotencyKey = JSON.stringify(payload).slice(0, 100).replaceAll(/[^!-~]/g, '.')
  const { statusCode, body } = await app.inject({
    method: 'POST', url, payload, headers: { authorization: `Api-Key ${key}`, 'idempotency-key': idempotencyKey }
  })
  if (statusCode !== 201) throw new Error(`${statusCode} ${body}`)
}

async function sendFile (url: string, name: string, text: string) {
  const payload = new FormData()
  payload.append('file', new File([text], name))
  const { statusCode, body } = await app.inject({
    method: 'POST', url, payload, headers: { authorization: `Api-Key ${key}` }
  })
  if (statusCode !== 201) throw new Error(`${statusCode} ${body}`)
}

for (const name of ['Support', 'Ångström 😀 売', 'x'.repeat(200)]) {
  await send('/v1/agents/', { name, systemPrompt: `I am ${name}.\nLine two.`, description: 'd'.repeat(3000) })
}
await send('/v1/api_keys/', { name: 'Deploy', permissions: ['MANAGE_AGENTS'], expires_at: '2030-01-31T12:00:00Z' })
await stores.access.revokeAnyKey(2)
// An agent's knowledge, read and trained by the real worker; one file is waiting to be read.
const sources = '/v1/agents/1/knowledge_sources'
await send('/v1/agents/1/knowledge_folders', { name: 'Handbook' })
await send(sources, { title: 'Returns', plain_text: 'Anything can be returned within 30 days.\n\nÅngström 😀 売.' })
await send(sources, { title: 'Not selected', plain_text: 'Nobody reads this.', is_selected: false })
await sendFile(sources, 'hours.md', '# Opening hours\n\nMonday to Friday, 9 to 17.')
const worker = await stores.work((error) => { throw error })
await worker.settled()
await worker.stop()
await sendFile(sources, 'waiting.txt', 'Still to be read.')
const empty = [...rowCounts(stores.db.raw)].filter(([, rows]) => rows === 0).map(([table]) => table)
if (empty.length) throw new Error(`Nothing is in ${empty.join(', ')}: make this script write something there.`)
await app.close()
await stores.close()
service.close().closeAllConnections()
mkdirSync(path.dirname(to), { recursive: true })
console.log(to, await backup({ file: stores.db.file, to, force: true, accounting }))
rmSync(directory, { recursive: true })
