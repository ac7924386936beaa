import { PassThrough, pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { EgressError, tooLarge } from './egress-error.ts'

/** Packed data may be a little larger than what it unpacks to; more than this is somebody stalling. */
const PACKING_BYTES = 64 * 1024

/**
 * The pieces of a body, unpacked as they come. Counts what arrives and what it unpacks to, whatever the headers
 * promise. Throws `too_large`, `unsupported_content`, or what the connection or the unpacking fails with.
 */
export function unpacked (
  body: Readable, headers: Record<string, string>, maxBytes: number, url: URL
): AsyncIterable<Uint8Array> {
  const packings = packingsOf(headers)
  if (packings.length === 0 && Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes)
  const unpack = unpacker(packings, url)
  const counting = (limit: number) =>
    async function * (chunks: AsyncIterable<Uint8Array>) {
      let bytes = 0
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > limit) throw tooLarge(url, maxBytes)
        yield chunk
      }
    }
  if (!unpack) return counting(maxBytes)(body)
  const out = new PassThrough()
  // A failure reaches whoever reads `out`.
  pipeline(body, counting(maxBytes + PACKING_BYTES), unpack, counting(maxBytes), out, () => {})
  return out
}

/** Whether a body has to be unpacked. */
export function isPacked (headers: Record<string, string>): boolean {
  return packingsOf(headers).length > 0
}

/** Lets go of a body nobody will read, with its connection: it may have no end. */
export function drop (body: Readable): void {
  body.on('error', () => {}).destroy()
}

function packingsOf (headers: Record<string, string>): string[] {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(',').map((name) => name.trim())
  return names.filter((name) => name && name !== 'identity')
}

function unpacker (packings: string[], url: URL) {
  const [packing, ...more] = packings
  if (packing === undefined) return undefined
  if (more.length === 0 && packing === 'br') return createBrotliDecompress()
  // createUnzip tells gzip and deflate apart by itself.
  if (more.length === 0 && ['gzip', 'x-gzip', 'deflate'].includes(packing)) return createUnzip()
  throw new EgressError('unsupported_content',
    `${url.host} packed its answer as ${packings.join(', ')}, which cannot be unpacked.`)
}
