import t from 'tap'
import type { Blobs } from '../../src/platform/storage/sqlite/blobs.ts'
import { stageBytes } from '../../src/sources/stage.ts'

t.test('a file goes into the data file half a megabyte at a time, so that nobody waits long for the disk', async (t) => {
  // Was wrong: a megabyte was written in one commit, and the lists of others waited ten times as long as beside a text.
  const waiting = new Set<() => void>()
  const written: number[] = []
  let most = 0
  const staged = {
    id: 1,
    discard: async () => {},
    async write (chunk: Uint8Array | string) {
      written.push(chunk.length)
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
  const staging = stageBytes({ stage: async () => staged } as unknown as Blobs, Buffer.alloc(3 * 2 ** 20), 'a.bin')
  while (written.length < 12 || waiting.size > 0) {
    // Like a commit: what was submitted until now is written together.
    await new Promise(setImmediate)
    most = Math.max(most, waiting.size)
    for (const done of waiting) done()
    waiting.clear()
  }
  t.match(await staging, { blob: 1, bytes: 3 * 2 ** 20, name: 'a.bin' })
  t.strictSame(written, Array(12).fill(2 ** 18))
  t.equal(most, 2, 'chunks of 256 KiB in one commit')
})
