import { crc32, inflateRawSync } from 'node:zlib'
import { ExtractError } from '../error.ts'
import { errorCode } from '../../platform/errors.ts'

/** The readable parts of an archive by name; pictures, fonts and nested archives are checked but not kept. */
export type ArchiveParts = Map<string, Uint8Array>

const MAX_INFLATED = 100 * 2 ** 20
const MAX_RATIO = 100
/** Below this an archive may be as dense as it likes: small repetitive documents are. */
const RATIO_FLOOR = 8 * 2 ** 20
const MAX_ENTRIES = 10_000
const READABLE = /(?:^mimetype|\.(?:xml|rels|xhtml|html?|opf|ncx))$/i

interface Entry {
  name: string
  flags: number
  method: number
  crc: number
  packed: number
  size: number
  offset: number
}

/**
 * Inflates a zip archive within limits that count what really comes out, whatever its headers claim. Readers see only
 * these parts, never the archive, so it cannot be interpreted in two ways. Throws `too_large`, `encrypted`, `unsafe` or
 * `damaged`.
 */
export function unpack (bytes: Uint8Array): ArchiveParts {
  const parts: ArchiveParts = new Map()
  for (const [name, content] of inflated(bytes)) {
    if (!READABLE.test(name)) continue
    refuseEntities(content)
    parts.set(name, content)
  }
  return parts
}

/**
 * Every file of an archive with its name, as the archive has it, within the same limits; `most` bytes in all. Throws as
 * `unpack` does.
 */
export function * inflated (bytes: Uint8Array, most = MAX_INFLATED): Generator<[name: string, content: Uint8Array]> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let total = 0
  for (const entry of directory(archive)) {
    const content = inflate(archive, entry, most - total)
    total += content.byteLength
    if (total > RATIO_FLOOR && total > archive.byteLength * MAX_RATIO) throw new ExtractError('too_large')
    yield [entry.name, content]
  }
}

function * directory (archive: Buffer): Generator<Entry> {
  const end = archive.lastIndexOf('PK\x05\x06', archive.length, 'latin1')
  if (end === -1 || end + 22 > archive.length) throw new ExtractError('damaged')
  const count = archive.readUInt16LE(end + 10)
  if (count > MAX_ENTRIES) throw new ExtractError('too_large')
  let at = archive.readUInt32LE(end + 16)
  for (let i = 0; i < count; i++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== 0x02014B50) throw new ExtractError('damaged')
    const [name, extra, comment] = [
      archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30), archive.readUInt16LE(at + 32)
    ]
    yield {
      name: archive.toString('utf8', at + 46, at + 46 + name),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      crc: archive.readUInt32LE(at + 16),
      packed: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      offset: archive.readUInt32LE(at + 42)
    }
    at += 46 + name + extra + comment
  }
}

function inflate (archive: Buffer, entry: Entry, budget: number): Uint8Array {
  if (entry.flags & 1) throw new ExtractError('encrypted')
  if (entry.size > budget) throw new ExtractError('too_large')
  if (entry.offset + 30 > archive.length || archive.readUInt32LE(entry.offset) !== 0x04034b50) {
    throw new ExtractError('damaged')
  }
  const start = entry.offset + 30 + archive.readUInt16LE(entry.offset + 26) + archive.readUInt16LE(entry.offset + 28)
  if (start + entry.packed > archive.length) throw new ExtractError('damaged')
  const content = open(archive.subarray(start, start + entry.packed), entry.method, budget)
  if (content.byteLength !== entry.size || crc32(content) !== entry.crc) throw new ExtractError('damaged')
  return content
}

function open (packed: Buffer, method: number, budget: number): Uint8Array {
  if (method === 0) return packed
  if (method !== 8) throw new ExtractError('damaged')
  // zlib reads a limit of 0 as no limit at all.
  if (budget === 0) throw new ExtractError('too_large')
  try {
    return inflateRawSync(packed, { maxOutputLength: budget })
  } catch (error) {
    throw new ExtractError(
      errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged',
      undefined,
      { cause: error }
    )
  }
}

const ENTITY = (['latin1', 'utf16le'] as const).map((encoding) => Buffer.from('<!ENTITY', encoding))
const ENTITY_BIG_ENDIAN = Buffer.from(ENTITY[1]!).swap16()

function refuseEntities (content: Uint8Array) {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if ([...ENTITY, ENTITY_BIG_ENDIAN].some((declaration) => bytes.includes(declaration))) {
    throw new ExtractError('unsafe')
  }
}
