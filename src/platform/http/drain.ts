import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

const POLL_MS = 50

/** How long each part of the end may take, in milliseconds from its beginning. */
export interface DrainTimes {
  /**
   * For this long new connections are still taken and idle ones kept, so that a client that keeps its connection reads
   * `Connection: close` with its next answer instead of losing a request that was on its way. Ends when nobody is
   * connected.
   */
  graceMs?: number
  /** After this long, remaining connections are closed. */
  deadlineMs?: number
}

/**
 * Lets a server finish what it has begun: stops listening, closes connections as they become idle, and at the deadline
 * the rest. Says how many were cut off. Node's own `close()` would wait for the keep-alive of every client instead.
 */
export async function drain (
  server: Server, clock: Clock, { graceMs = 0, deadlineMs = 9000 }: DrainTimes = {}
): Promise<number> {
  const started = clock.monotonic()
  const withinTime = (ms: number) => clock.monotonic() - started < ms

  while (withinTime(graceMs) && (await connections(server)) > 0) await pause(POLL_MS)
  // Right after the event loop has taken in who was waiting: whoever is still in the system's queue then is reset.
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
