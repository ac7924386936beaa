import type { Command } from 'commander'
import { here } from '../../config.ts'
import { errorMessage, Refusal } from '../../platform/errors.ts'
import { egress } from '../../platform/net/egress.ts'
import { servedBy } from '../../platform/storage/sqlite/disk/lock.ts'
import { command, configOf, print, type CommonOptions, type CliIo } from '../common.ts'

/** `health`: checks whether the server on this machine is alive, for containers without another HTTP client. */
export function healthCommand (io: CliIo): Command {
  return command(
    'health', 'ask the server on this machine whether it takes requests; exits with 1 if not', 'health',
    'health --port 8080'
  )
    .option('--port <number>', 'port it listens on (default: that of the server on this data, AGENTHALL_PORT or 8080)')
    .action(async (options: CommonOptions & { port?: string }) => {
      const { PORT, HOST, DATA } = configOf(io, options, { PORT: options.port })
      const served = options.port === undefined ? servedBy(DATA)?.announced : undefined
      const address = served?.listens ?? here(HOST, PORT)
      const out = egress({
        allowedHosts: [address], userAgent: 'Agenthall-health', limits: { headersMs: 2000, totalMs: 3000 }
      })
      try {
        await out.fetch(`http://${address}/readyz`, { maxBytes: 65_536 })
      } catch (error) {
        throw new Refusal('unavailable', `The server at ${address} does not take requests: ${errorMessage(error)}`)
      } finally {
        await out.close()
      }
      print(io, options, { ready: true, address }, () => `The server at ${address} takes requests.`)
    })
}
