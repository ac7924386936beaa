import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/server.ts'
import type { AgenthallOptions } from './servers.ts'

const { directory, database, settings = {} } = JSON.parse(process.argv[2]!) as AgenthallOptions
const config = readConfig(
  { AGENTHALL_RATE_LIMITS: '{"enterprise":0,"pro":0,"free":0}' }, { PORT: '0', DATA: directory, ...settings }
)
const server = await startServer(config, { log: false, database })

process.on('message', (asked) => {
  if (asked === 'kept') {
    globalThis.gc!()
    const { heapUsed, external } = process.memoryUsage()
    process.send!(heapUsed + external)
  } else {
    const { user, system } = process.cpuUsage()
    process.send!(user + system)
  }
})
process.once('SIGTERM', async () => {
  await server.close()
  process.exit()
})
// A benchmark that broke off leaves no server behind.
process.once('disconnect', () => process.exit(1))
process.send!(server.address)
