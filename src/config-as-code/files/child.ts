import { runChild } from '../../platform/process/child.ts'
import { nodesOf, type Node } from './lines.ts'
import { parsed, type ParsedFile } from './parse.ts'

/** One line of the answer: a file, or more of the file before. */
export type Said = Pick<ParsedFile, 'path' | 'faults'> | { nodes: Node[] } | Pick<ParsedFile, 'unset'> |
  { places: Array<[path: string, place: string]> }

/** Places, or fields that are unset, in one line of an answer. */
const PLACES_AT_ONCE = 1000

/**
 * Reads one message, files with their texts, and answers what each holds: its faults, its value, and then the position
 * of all that is in it, in lines short enough that their reader is not held up.
 */
export function * respond (message: string): Generator<Said> {
  const files = JSON.parse(message) as Array<[path: string, text: string]>
  for (const [path, text] of files) {
    const { value, faults, unset, places } = parsed(path, text)
    yield { path, faults }
    for (const nodes of nodesOf(value)) yield { nodes }
    for (let at = 0; at < unset.length; at += PLACES_AT_ONCE) yield { unset: unset.slice(at, at + PLACES_AT_ONCE) }
    const all = [...places]
    for (let at = 0; at < all.length; at += PLACES_AT_ONCE) yield { places: all.slice(at, at + PLACES_AT_ONCE) }
  }
}

/** The sandbox's side: the files on standard input, the answer as a line on standard output. */
export const runConfigChild = async () => await runChild((input) => respond(input.toString()))
