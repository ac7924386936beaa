import { createHash } from 'node:crypto'

const MAGIC_64 = 0xfeedfacf
const EXECUTABLE = 2
const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const SIGNATURE_COMMAND = 16
const HEADER = 32
const SEGMENT = 72
const SECTION = 80
const CODE_DIRECTORY = 88
const SUPER_BLOB = 20
const HASH = 32
/** Page size of the hash list, whatever the machine's own is. */
const PAGE = 4096
/** Pages of Apple silicon. */
const MEMORY_PAGE = 16_384
/** Signed by nobody (ad hoc), and by the linker, so that a real signature may replace it. */
const AD_HOC_BY_LINKER = 0x20002

/**
 * Signs a 64-bit Mach-O file ad hoc: hashes of its pages and no certificate, which is what a linker leaves and without
 * which Apple silicon runs no program. Replaces the existing signature; throws when there is no room for one.
 */
export function signAdHoc (file: Buffer, identifier: string): Buffer {
  if (file.readUInt32LE(0) !== MAGIC_64) throw new Error('not a 64-bit Mach-O file')
  const unsigned = withoutSignature(file)
  const { signature, linkedit, text } = commands(unsigned) as Required<Commands>
  const limit = unsigned.length
  const slots = Math.ceil(limit / PAGE)
  const hashes = CODE_DIRECTORY + Buffer.byteLength(identifier) + 1
  // Rounded up as Apple's linker does it.
  const size = Math.ceil((SUPER_BLOB + hashes + slots * HASH) / 16) * 16
  const signed = Buffer.concat([unsigned, Buffer.alloc(size)])

  signed.writeUInt32LE(size, signature + 12)
  const linkeditSize = BigInt(limit + size) - signed.readBigUInt64LE(linkedit + 40)
  signed.writeBigUInt64LE(linkeditSize, linkedit + 48)
  signed.writeBigUInt64LE(BigInt(Math.ceil(Number(linkeditSize) / MEMORY_PAGE) * MEMORY_PAGE), linkedit + 32)

  const blob = signed.subarray(limit)
  write32(blob, 0, [0xfade0cc0, SUPER_BLOB + hashes + slots * HASH, 1, 0, SUPER_BLOB])
  const directory = blob.subarray(SUPER_BLOB)
  write32(directory, 0, [
    0xfade0c02, hashes + slots * HASH, 0x20400, AD_HOC_BY_LINKER, hashes, CODE_DIRECTORY, 0, slots, limit
  ])
  // Size and kind (SHA-256) of a hash, no platform, page size as a power of two.
  directory.set([HASH, 2, 0, Math.log2(PAGE)], 36)
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + 40), 64)
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + 48), 72)
  directory.writeBigUInt64BE(signed.readUInt32LE(12) === EXECUTABLE ? 1n : 0n, 80)
  directory.write(identifier, CODE_DIRECTORY)
  for (let slot = 0; slot < slots; slot++) {
    const page = signed.subarray(slot * PAGE, Math.min((slot + 1) * PAGE, limit))
    directory.set(createHash('sha256').update(page).digest(), hashes + slot * HASH)
  }
  return signed
}

/** Copies the file up to the signature offset and patches LC_CODE_SIGNATURE. */
function withoutSignature (file: Buffer): Buffer {
  const { signature, firstSection, end } = commands(file)
  if (signature) return Buffer.from(file.subarray(0, file.readUInt32LE(signature + 8)))
  if (end + SIGNATURE_COMMAND > firstSection) throw new Error('the Mach-O file has no place for a signature')
  const copy = Buffer.alloc(Math.ceil(file.length / 16) * 16)
  file.copy(copy)
  copy.writeUInt32LE(copy.readUInt32LE(16) + 1, 16)
  copy.writeUInt32LE(copy.readUInt32LE(20) + SIGNATURE_COMMAND, 20)
  copy.writeUInt32LE(LC_CODE_SIGNATURE, end)
  copy.writeUInt32LE(SIGNATURE_COMMAND, end + 4)
  copy.writeUInt32LE(copy.length, end + 8)
  return copy
}

/** The offsets of the load commands that a signature needs, of their end, and of the first section. */
interface Commands { signature?: number, linkedit?: number, text?: number, end: number, firstSection: number }

function commands (file: Buffer): Commands {
  const found: Commands = { end: HEADER, firstSection: Infinity }
  for (let i = 0; i < file.readUInt32LE(16); i++) {
    const at = found.end
    const command = file.readUInt32LE(at)
    if (command === LC_CODE_SIGNATURE) found.signature = at
    if (command === LC_SEGMENT_64) {
      const name = file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')
      if (name === '__LINKEDIT') found.linkedit = at
      if (name === '__TEXT') {
        found.text = at
        for (let section = at + SEGMENT, last = at + file.readUInt32LE(at + 4); section < last; section += SECTION) {
          found.firstSection = Math.min(found.firstSection, file.readUInt32LE(section + 48))
        }
      }
    }
    found.end = at + file.readUInt32LE(at + 4)
  }
  return found
}

function write32 (buffer: Buffer, at: number, values: number[]) {
  values.forEach((value, i) => buffer.writeUInt32BE(value, at + i * 4))
}
