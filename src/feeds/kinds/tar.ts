/** A file of an archive. */
export interface Packed { name: string, bytes: Uint8Array }

const BLOCK = 512
/** Longest name that an archive may give in a separate block. */
const MOST_NAME = 64 * 1024

/** A NUL-terminated text in a header, or in a block that holds one. */
const textOf = (block: Uint8Array, from: number, to: number) => {
  const end = block.indexOf(0, from)
  return new TextDecoder().decode(block.subarray(from, end === -1 || end > to ? to : end))
}

/** A number of a header: octal digits; or, where it is larger, its bytes. */
function numberOf (block: Uint8Array, from: number, length: number): number {
  if (((block[from] ?? 0) & 0x80) === 0) return parseInt(textOf(block, from, from + length).trim() || '0', 8)
  return block.subarray(from + 1, from + length).reduce((sum, byte) => sum * 256 + byte, 0)
}

/** The path that a pax header sets for the next entry. */
function paxPath (text: string): string | undefined {
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(' ', at)
    const length = parseInt(text.slice(at, space))
    if (space === -1 || !(length > space - at)) return undefined
    const [name, ...value] = text.slice(space + 1, at + length - 1).split('=')
    if (name === 'path') return value.join('=')
    at += length
  }
  return undefined
}

/**
 * The regular files of a tar stream that `wanted` selects, with their bytes; nothing else is held in memory. Throws an
 * Error where it breaks off.
 */
export async function * untar (
  pieces: AsyncIterable<Uint8Array>, wanted: (name: string, size: number) => boolean
): AsyncGenerator<Packed> {
  const source = pieces[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()

  /** The next `size` bytes; undefined at the end. `keep`: false discards them as they arrive. */
  async function take (size: number, keep = true): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    let left = size
    while (left > 0) {
      if (held.length === 0) {
        const next = await source.next()
        if (next.done) return undefined
        held = next.value
      }
      const part = held.subarray(0, left)
      held = held.subarray(part.length)
      left -= part.length
      if (keep) parts.push(part)
    }
    return keep ? Buffer.concat(parts) : held
  }

  async function content (size: number, keep: boolean): Promise<Uint8Array> {
    const bytes = await take(size, keep)
    const padding = await take((BLOCK - size % BLOCK) % BLOCK, false)
    if (!bytes || !padding) throw new Error('The archive is cut off.')
    return bytes
  }

  let given: string | undefined
  for (;;) {
    const header = await take(BLOCK)
    if (!header) throw new Error('The archive is cut off.')
    if (header[0] === 0) return
    const size = numberOf(header, 124, 12)
    if (!Number.isSafeInteger(size)) throw new Error('This is not an archive.')
    const kind = String.fromCharCode(header[156] ?? 0)
    if ((kind === 'x' || kind === 'L') && size <= MOST_NAME) {
      const bytes = await content(size, true)
      given = kind === 'x' ? paxPath(new TextDecoder().decode(bytes)) ?? given : textOf(bytes, 0, size)
      continue
    }
    const prefix = textOf(header, 257, 262) === 'ustar' ? textOf(header, 345, 500) : ''
    const name = given ?? (prefix ? `${prefix}/` : '') + textOf(header, 0, 100)
    if (kind !== 'g') given = undefined
    const isWanted = (kind === '0' || kind === '\0') && wanted(name, size)
    const bytes = await content(size, isWanted)
    if (isWanted) yield { name, bytes }
  }
}
