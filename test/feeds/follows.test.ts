import { createHash } from 'node:crypto'
import { globSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { readersWith } from '../../src/feeds/kinds/readers.ts'
import { looking } from '../../src/feeds/looking/look.ts'
import type { LookStore } from '../../src/feeds/store.ts'
import { fed } from './helper.ts'

/**
 * A store that seems to end the process before or after one of its calls, after which nothing in progress goes on:
 * `left` is counted down.
 */
function killing (store: LookStore, left: { calls: number, die: () => void }): LookStore {
  async function mayDie () {
    if (left.calls-- !== 0) return
    left.die()
    await new Promise(() => {})
  }
  const step = <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) => async (...given: Given) => {
    await mayDie()
    const result = await work(...given)
    await mayDie()
    return result
  }
  const { begin, keep, move, ended, failed, folders, hint } = store
  const rest = { ended: step(ended), failed: step(failed), folders, hint }
  return { begin: step(begin), keep: step(keep), move: step(move), ...rest }
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

t.test('after a thousand random edits, moves, removals and kills the sources are the folder', async (t) => {
  const { write, docs, stores, clock, me, at, id: agent } = await fed(t)
  const { blobs, feeding } = stores.knowledge
  const { raw } = stores.db
  const left = { calls: -1, die: () => {} }
  const look = looking({
    store: killing(stores.feeds.store, left),
    blobs,
    clock,
    readerOf: readersWith({ ...feeding, clock, folders: [docs], fileLimit: 1_000_000 })
  })
  const feed = (await me.post(`${at}/feeds`, { name: 'x', kind: 'folder', config: { path: docs } })).json().data.id
  let kills = 0

  /** The worker's work, resumed after a kill; training is left to others. */
  async function work () {
    for (;;) {
      await stores.jobs.recover()
      const job = await stores.jobs.claim({ kinds: ['feed'], lane: 'outside', perOwner: 9 })
      if (!job) return
      const died = new Promise<void>((resolve) => {
        left.die = () => {
          kills++
          resolve()
        }
      })
      await Promise.race([look(job, new AbortController().signal), died])
      left.calls = -1
    }
  }
  async function kept () {
    const rows = raw.prepare<[number], { key: string, blob: number }>(
      'select origin_key as key, file_blob as blob from knowledge_sources where agent_id = ?').all(agent)
    const all: Record<string, string> = {}
    for (const { key, blob } of rows) {
      const pieces: Uint8Array[] = []
      for await (const piece of blobs.read(blob)) pieces.push(piece)
      all[key] = digest(Buffer.concat(pieces))
    }
    return all
  }
  const files = () => globSync('**/*.md', { cwd: docs })
  // A file without text is no source.
  const onDisk = () => Object.fromEntries(files().flatMap((key) => {
    const bytes = readFileSync(path.join(docs, key))
    return bytes.length > 0 ? [[key, digest(bytes)]] : []
  }))

  const edit = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), name: fc.nat(59), text: fc.nat(5) }),
    fc.record({ kind: fc.constant('move' as const), name: fc.nat(59), text: fc.nat(59) }),
    fc.record({ kind: fc.constant('remove' as const), name: fc.nat(59), text: fc.constant(0) })
  )
  const nameOf = (n: number) => `${n % 4}/${n}.md`
  let edits = 0
  await fc.assert(fc.asyncProperty(
    fc.array(edit, { minLength: 25, maxLength: 25 }), fc.option(fc.nat(40)), fc.boolean(),
    async (some, kill, isApproved) => {
      for (const { kind, name, text } of some) {
        edits++
        const place = path.join(docs, nameOf(name))
        if (kind === 'write') write(nameOf(name), `Text ${text}.`)
        else if (!files().includes(nameOf(name))) continue
        else if (kind === 'remove') rmSync(place)
        else {
          write(nameOf(text), '')
          renameSync(place, path.join(docs, nameOf(text)))
        }
      }
      left.calls = kill ?? -1
      const answer = await me.post(`${at}/feeds/${feed}/look`)
      await work()
      left.calls = -1
      // Nothing in the folder is missing or outdated, whatever waits to be removed; unless looking is not allowed.
      const sources = await kept()
      const isBehind = Object.entries(onDisk()).some(([key, hash]) => sources[key] !== hash)
      if (answer.statusCode === 202 && isBehind) throw new Error('something in the folder was not learnt')
      if (!isApproved) return
      for (let asks = 0; asks < 3; asks++) {
        const { state } = (await me.get(`${at}/feeds/${feed}`)).json().data
        if (state !== 'paused') break
        await me.post(`${at}/feeds/${feed}/approve_removal`)
        await work()
      }
      t.strictSame(await kept(), onDisk())
    }
  ), { numRuns: 40 })
  t.ok(edits >= 1000, `${edits} edits`)
  t.ok(kills > 5, `${kills} kills`)
})
