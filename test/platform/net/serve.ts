import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A server on its own port that counts connections; closed when the test ends. */
export async function serve (
  t: Test, answer: RequestListener, host = '127.0.0.1', port = 0
): Promise<{ port: number, hits: () => number }> {
  let hits = 0
  const server = createServer({ maxHeaderSize: 65536 }, answer).on('connection', () => hits++)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, hits: () => hits }
}
