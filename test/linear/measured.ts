import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Scope } from '../postgres/database.ts'
import { longestTurn } from './turns.ts'

/** What a script for `heldApart` does: prepares its work, does it some times, and says how long it held the loop. */
export async function measured (enough: number, prepare: (t: Scope) => Promise<() => Promise<unknown>>) {
  const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
  const endings: Array<() => unknown> = [() => rmSync(directory, { recursive: true })]
  const work = await prepare({
    testdir: () => directory,
    teardown: (end) => { endings.unshift(end) },
    fail: (...[why]) => { throw new Error(String(why)) }
  })
  // What is compiled for the first of them is prepared in advance on a server.
  await work()
  console.log(`held for ${await longestTurn(enough, work)} ms`)
  for (const end of endings) await end()
}
