import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

const POLL_MS = 50

/** How long each phase of the shutdown may take, in milliseconds from its beginning. */
export interface DrainTimes {
  /**
   * For this long new connections are still accepted and idle ones kept, so that a client with a keep-alive connection
   * gets `Connection: close` with its next answer instead of losing a request in flight. Ends when nobody is connected.
   */
  graceMs?: number
  /** After this long, remaining connections are closed. */
  deadlineMs?: number
}

/**
 * Lets a server finish pending requests: stops listening, closes connections as they become idle, and the rest at the
 * deadline. Returns how many were cut off. Node's own `close()` would wait for every client's keep-alive instead.
 */
export async function drain (
  server: Server, clock: Clock, { graceMs = 0, deadlineMs = 9000 }: DrainTimes = {}
): Promise<number> {
  const started = clock.monotonic()
  const withinTime = (ms: number) => clock.monotonic() - started < ms

  while (withinTime(graceMs) && (await connections(server)) > 0) await pause(POLL_MS)
  // Right after the event loop has accepted waiting connections: those still in the system's queue then are reset.
  await new Promise(setImmediate)
  server.close()
  while (withinTime(deadlineMs) && (await connections(server)) > 0) {
    server.closeIdleConnections()
    await pause(POLL_MS)
  }
  const cut = await connections(server)
  server.closeAllConnections()
  return cut
}

function connections (server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}
