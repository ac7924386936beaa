import { randomBytes } from 'node:crypto'
import { CHUNK_BYTES, type Blobs, type Staged } from '../platform/storage/sqlite/blobs.ts'
import { charactersIn } from '../reading/document.ts'
import type { NewSource, StagedFile, StagedText } from './contract.ts'

/** Characters of a text kept in one chunk. */
const CHUNK_CHARS = 65_536

/** Stages a text chunk by chunk, so that a large one holds nobody up. Its bytes are exactly those that were sent. */
export async function stageText (blobs: Blobs, text: string): Promise<StagedText> {
  const staged = await blobs.stage()
  return await orDiscard(staged, async () => {
    const written = severalAhead()
    let chars = 0
    let bytes = 0
    for (let at = 0; at < text.length;) {
      // Never between the halves of a surrogate pair: half of one is not text.
      const end = at + CHUNK_CHARS
      const next = (text.charCodeAt(end) & 0xFC00) === 0xDC00 ? end + 1 : end
      const chunk = text.slice(at, next)
      chars += charactersIn(chunk)
      bytes += Buffer.byteLength(chunk)
      await written.add(staged.write(chunk))
      at = next
    }
    await written.all()
    return { blob: staged.id, bytes, chars }
  })
}

/** Stages bytes that are in memory already. */
export async function stageBytes (blobs: Blobs, bytes: Uint8Array, name: string): Promise<StagedFile> {
  return await stageStream(blobs, [bytes], name)
}

/** Stages a stream, never holding more than a chunk of it. `onChunk` sees what passes. */
export async function stageStream (
  blobs: Blobs,
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  onChunk?: (bytes: Uint8Array) => void
): Promise<StagedFile> {
  const staged = await blobs.stage()
  return await orDiscard(staged, async () => {
    const written = severalAhead(FILE_AHEAD)
    let bytes = 0
    let held: Uint8Array[] = []
    let size = 0
    const flush = async () => {
      const all = Buffer.concat(held)
      held = []
      size = 0
      for (let at = 0; at < all.length; at += CHUNK_BYTES) {
        await written.add(staged.write(all.subarray(at, at + CHUNK_BYTES)))
      }
    }
    for await (const chunk of stream) {
      onChunk?.(chunk)
      bytes += chunk.length
      size += chunk.length
      held.push(chunk)
      if (size >= CHUNK_BYTES) await flush()
    }
    if (size > 0) await flush()
    await written.all()
    return { blob: staged.id, bytes, name, path: randomBytes(24).toString('base64url') }
  })
}

/** Chunks of text handed over before the first is waited for, so that one commit holds several: 256 KiB. */
const AHEAD = 4
/**
 * The same of a file, 512 KiB: with a megabyte in one commit each of them filled the log, was copied into the data file
 * at once, and kept everybody else waiting for the disk.
 */
const FILE_AHEAD = 2

/**
 * Lets `most` writes be under way while what comes next is got ready. Throws what a write throws, at the latest in
 * `all`.
 */
export function severalAhead (most = AHEAD) {
  const writes: Array<Promise<void>> = []
  return {
    async add (write: Promise<void>) {
      write.catch(() => undefined)
      if (writes.push(write) >= most) await writes.shift()
    },
    all: () => Promise.all(writes)
  }
}

/** Gives up what was staged for sources that were not added. */
export async function discardAll (blobs: Blobs, sources: NewSource[]) {
  await Promise.all(
    sources.flatMap(({ text, file }) => [text, file].map((staged) => staged && blobs.discard(staged.blob)))
  )
}

async function orDiscard<T> (staged: Staged, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await staged.discard()
    throw error
  }
}
