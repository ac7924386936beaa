import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { EgressError, tooLarge } from './egress-error.ts'

/** Packed data may be a little larger than what it unpacks to; anything beyond this is stalling. */
const PACKING_BYTES = 64 * 1024

/**
 * The chunks of a body, unpacked as they arrive. Counts the bytes received and unpacked, whatever the headers promise.
 * Throws `too_large`, `unsupported_content`, or the error of the connection or the unpacking.
 */
export async function * unpacked (
  body: Readable, headers: Record<string, string>, maxBytes: number, url: URL
): AsyncIterable<Uint8Array> {
  yield * counted(unpacking(body, headers, maxBytes, url), limit(maxBytes, url))
}

/** The same as a stream; what it unpacks to is not counted: the reader applies limit(). */
export function unpacking (body: Readable, headers: Record<string, string>, maxBytes: number, url: URL): Readable {
  const packings = packingsOf(headers)
  if (packings.length === 0 && Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes)
  const unpack = unpacker(packings, url)
  if (!unpack) return body
  const arriving = limit(maxBytes + PACKING_BYTES, url, maxBytes)
  // A failure is passed to the reader of the unpacked stream.
  pipeline(body, (pieces: AsyncIterable<Uint8Array>) => counted(pieces, arriving), unpack, () => {})
  return unpack
}

/** Called with each chunk; throws `too_large` beyond `most` bytes; `told` is the limit that the error names. */
export function limit (most: number, url: URL, told = most): (piece: Uint8Array) => void {
  let bytes = 0
  return ({ length }) => {
    bytes += length
    if (bytes > most) throw tooLarge(url, told)
  }
}

async function * counted (
  pieces: AsyncIterable<Uint8Array>, count: (piece: Uint8Array) => void
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    count(piece)
    yield piece
  }
}

/** Whether a body has to be unpacked. */
export function isPacked (headers: Record<string, string>): boolean {
  return packingsOf(headers).length > 0
}

/** Drops a body that nobody will read, with its connection: it may be endless. */
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
  // createUnzip tells gzip and deflate apart itself.
  if (more.length === 0 && ['gzip', 'x-gzip', 'deflate'].includes(packing)) return createUnzip()
  throw new EgressError('unsupported_content',
    `${url.host} compressed its answer as ${packings.join(', ')}, which cannot be read.`)
}
