import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'

// npm run test:postgres -- [--short | part of a file's name …] The tests of the product's behaviour, with each app's
// tables in a database of its own on the PostgreSQL server whose address is in TEST_POSTGRES.

if (!process.env.TEST_POSTGRES) {
  console.error('Say in TEST_POSTGRES where a PostgreSQL server is at which databases may be made.')
  process.exit(1)
}

/** Folders about what a client sees. What is about SQLite files, or the page in a browser, is not here. */
const FOLDERS = [
  'access', 'actions', 'agents', 'analytics', 'business', 'checks', 'config-as-code', 'conversations', 'deliveries', 'feeds', 'follow-ups',
  'going-live', 'guards', 'handoff', 'imports', 'journeys', 'learning', 'mcp', 'models', 'notifications', 'postgres', 'privacy',
  'replies', 'reviews', 'satisfaction', 'sources', 'team', 'tickets', 'webhooks', 'widget'
]

/**
 * What runs with `--short`, before a change to storage: all journeys, since they call every route as everybody and tell
 * whole stories, and of each folder above what writes most, in a few minutes. What is in `postgres` runs with `npm
 * test`.
 */
const SHORT = [
  'journeys/matrix', 'journeys/openapi-fuzz', 'journeys/permits', 'journeys/model', 'journeys/recipes',
  'journeys/hostile', 'journeys/source', 'journeys/concurrency', 'journeys/made',
  'access/sign-in', 'actions/actions', 'agents/versions/versions', 'analytics/analytics', 'business/business',
  'checks/gate', 'config-as-code/keyed', 'conversations/routes', 'deliveries/deliveries', 'feeds/routes',
  'follow-ups/follow-ups', 'going-live/going-live', 'guards/kept', 'handoff/desk/putting-in-order', 'imports/api', 'learning/learning',
  'mcp/oauth/oauth', 'models/own-providers', 'notifications/push', 'privacy/erase', 'replies/replies', 'reviews/reviews',
  'satisfaction/satisfaction', 'sources/stored', 'team/team', 'tickets/providers', 'webhooks/webhooks', 'widget/visitor'
].map((name) => `test/${name}.test.ts`)

const { values: { short }, positionals: parts } = parseArgs({
  options: { short: { type: 'boolean', default: false } }, allowPositionals: true
})
const all = FOLDERS.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`)).sort()
const isAsked = (file: string) => parts.length === 0 || parts.some((part) => file.includes(part))
const files = (short ? SHORT : all).filter(isAsked)
const lacking = [
  ...SHORT.filter((file) => !all.includes(file)).map((file) => `${file} is not there`),
  ...all.filter((file) => /^test.journeys/.test(file) && !SHORT.includes(file)).map((file) => `${file} is a journey`),
  ...FOLDERS.filter((folder) => folder !== 'postgres' && !SHORT.some((file) => file.startsWith(`test/${folder}/`)))
    .map((folder) => `nothing of ${folder} is there`)
]
if (lacking.length > 0) {
  console.error(`What runs with --short lacks something: ${lacking.join(', ')}`)
  process.exit(1)
}
const tap = spawn('tap', ['--disable-coverage', '--jobs=2', '--timeout=600', '--reporter=tap', ...files], {
  stdio: 'inherit', env: { ...process.env, TEST_TABLES: 'postgres' }
})
const [code] = await once(tap, 'close')
process.exitCode = code ?? 1
