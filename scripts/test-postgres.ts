import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'

// npm run test:postgres -- [part of a file's name …] The tests of what the product does, with each app's tables in a
// database of its own on the PostgreSQL server whose address is in TEST_POSTGRES.

if (!process.env.TEST_POSTGRES) {
  console.error('Say in TEST_POSTGRES where a PostgreSQL server is at which databases may be made.')
  process.exit(1)
}

/** Folders of what a client sees. What is about files of SQLite, or the page in a browser, is not here. */
const FOLDERS = [
  'access', 'actions', 'agents', 'analytics', 'business', 'checks', 'conversations', 'deliveries', 'feeds', 'follow-ups',
  'going-live', 'guards', 'handoff', 'imports', 'learning', 'mcp', 'models', 'notifications', 'postgres', 'privacy',
  'replies', 'reviews', 'satisfaction', 'sources', 'team', 'tickets', 'webhooks', 'widget'
]

const parts = process.argv.slice(2)
const isAsked = (file: string) => parts.length === 0 || parts.some((part) => file.includes(part))
const files = FOLDERS.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`)).sort().filter(isAsked)
const tap = spawn('tap', ['--disable-coverage', '--jobs=2', '--timeout=600', '--reporter=tap', ...files], {
  stdio: 'inherit', env: { ...process.env, TEST_TABLES: 'postgres' }
})
const [code] = await once(tap, 'close')
process.exitCode = code ?? 1
