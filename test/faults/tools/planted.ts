import { buildApp, addressOf } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openFileStores, type FileStores, type StoresOptions } from '../../../src/stores.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'

// A server with a planted fault, for the tests to show that they would detect it. Every fault is one somebody could
// make.

const faults: Record<string, { options?: Partial<StoresOptions>, spoil?: (stores: FileStores) => void }> = {
  /** Commits do not wait for the disk. */
  normal: { options: { synchronous: 'NORMAL' } },
  /** Nothing checks whether another server has the file. */
  lockless: { options: { serving: false } },
  /** No minimum free space and no ballast. */
  careless: { options: { room: { floor: 0, ballast: 0 } } },
  /** SQLite itself waits for a foreign lock, and the event loop with it. */
  patient: { spoil: ({ db }) => { db.raw.pragma('busy_timeout = 5000') } },
  /** A write is acknowledged when it is done, and committed a little later. */
  early: { spoil: acknowledgeEarly }
}

function acknowledgeEarly ({ db, audit }: FileStores) {
  const { raw } = db
  db.read = async (work) => finish(work())
  db.generation = () => 0
  db.atomically = async (work) => {
    if (!raw.inTransaction) {
      raw.exec('BEGIN IMMEDIATE')
      setTimeout(() => raw.exec('COMMIT'), 30)
    }
    return finish(work())
  }
  db.afterwards = function * (task) { task(true) }
  // Its events would begin a separate transaction, inside the open one.
  audit.record = (context) => db.atomically(() => audit.add(context))
}

const [fault = '', directory = ''] = process.argv.slice(2)
const { options = {}, spoil } = faults[fault]!
const clock = systemClock()
const config = readConfig({ AGENTHALL_PORT: '0', AGENTHALL_RATE_LIMITS: '{"enterprise":0}' })
const stores = await openFileStores({ directory, clock, serving: true, ...options })
const app = await buildApp({ config, stores, clock })
const welcome = await stores.access.createFirstUser({ name: 'Owner' })
spoil?.(stores)
await app.listen({ port: 0, host: '127.0.0.1' })
const key = welcome ? `\n  ${welcome.key}\n` : ''
// In one write: callers that wait for it to listen read the key with it.
process.stderr.write(`Agenthall listens on ${addressOf(app, config)} .\n${key}`)
