import { Parser } from 'htmlparser2'
import { nextTurn } from '../../platform/work/turns.ts'

/** Characters parsed at a time before yielding to the event loop. */
const SLICE = 64 * 1024
/** Characters of one text that are stored. */
const LONGEST_CONTENT = 4096

/** One element of a list: the texts within it, by the names of what holds them, and attributes as `name@attribute`. */
export type Entry = Map<string, string>

/**
 * The elements of some names, in the order of the document, and everything else that the root contains (`rest`). One
 * pass in linear time that never blocks others; malformed XML is read as far as possible. `isWhole`: the document was
 * complete.
 */
export async function entriesOf (
  bytes: Uint8Array, names: readonly string[], most: number
): Promise<{ root: string, entries: Entry[], rest: Entry, isWhole: boolean }> {
  const entries: Entry[] = []
  const rest: Entry = new Map()
  const path: string[] = []
  let root = ''
  let entry: Entry | undefined
  let depth = 0
  let isWhole = false
  const add = (to: Entry, name: string, text: string) => {
    const known = to.get(name) ?? ''
    if (known.length < LONGEST_CONTENT) to.set(name, (known + text).slice(0, LONGEST_CONTENT))
  }
  const parser = new Parser({
    onopentag (name, attributes) {
      const plain = name.replace(/^\w+:/, '')
      root ||= plain
      if (!entry && names.includes(plain) && entries.length < most) {
        entry = new Map()
        depth = path.length
      }
      path.push(plain)
      if (!entry) return
      for (const [attribute, value] of Object.entries(attributes)) {
        // Of an entry's several links, the first that is the page itself.
        const isOther = plain === 'link' && attributes['rel'] !== undefined && attributes['rel'] !== 'alternate'
        if (!isOther && !entry.has(`${plain}@${attribute}`)) add(entry, `${plain}@${attribute}`, value)
      }
    },
    ontext (text) {
      const name = path.at(-1)
      if (name === undefined) return
      if (entry) add(entry, name, text)
      else if (path.length === 2) add(rest, name, text)
    },
    onclosetag () {
      path.pop()
      if (entry && path.length === depth) {
        entries.push(entry)
        entry = undefined
      }
      isWhole = path.length === 0
    }
  }, { xmlMode: true, decodeEntities: true })
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; at += SLICE) {
    parser.write(decoder.decode(bytes.subarray(at, at + SLICE), { stream: true }))
    await nextTurn()
  }
  // The parser does not get the end signal: it would close elements that were cut off.
  return { root, entries, rest, isWhole }
}
