import '../bare-children.ts'
import { spawnSync } from 'node:child_process'
import path from 'node:path'

/** How often it is tried: other load on the machine makes it longer, never shorter. */
const TRIES = 3

/**
 * How long work holds the event loop in a process of its own, in milliseconds of CPU time. tap follows every promise to
 * know whose an error is, and collecting what it remembers takes longer than a request with thousands of parts.
 * Tried again while it is above `enough`; the best counts. `script`: a file that calls `measured` of measured.ts.
 */
export function heldApart (script: string, enough: number): number {
  let best = Infinity
  for (let tried = 0; tried < TRIES && best > enough; tried++) best = Math.min(best, heldOnce(script))
  return best
}

function heldOnce (script: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  const held = /^held for ([\d.]+) ms$/m.exec(stdout)?.[1]
  if (status !== 0 || held === undefined) throw new Error(`${path.basename(script)} ended with ${status}: ${stderr}`)
  return Number(held)
}
