/*
 * A value as lines, each short enough to be read at once, whatever a file holds: with a hundred references to a long
 * list a file of a few kilobytes holds megabytes.
 */

/** Something in a value: how deep, its name (empty in a list), and itself; a list or an object comes empty. */
export type Node = [depth: number, name: string, value: unknown]

/** Nodes, and characters of their texts, in one line. */
const [NODES_AT_ONCE, CHARACTERS_AT_ONCE] = [1000, 65_536]

/** A value's nodes in batches: each before what is in it, in order. */
export function * nodesOf (value: unknown): Generator<Node[]> {
  let batch: Node[] = []
  let characters = 0
  // Without recursion: a value may be nested deeper than calls.
  const open = [[['', value] as [string, unknown]][Symbol.iterator]()]
  while (open.length > 0) {
    const next = open.at(-1)!.next()
    if (next.done) {
      open.pop()
      continue
    }
    const [name, one] = next.value
    const entries = entriesOf(one)
    batch.push([open.length - 1, name, entries ? emptied(one) : one])
    if (entries) open.push(entries)
    characters += name.length + (typeof one === 'string' ? one.length : 0)
    if (batch.length < NODES_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

function entriesOf (value: unknown): ArrayIterator<[string, unknown]> | undefined {
  if (Array.isArray(value)) return value.map((one): [string, unknown] => ['', one])[Symbol.iterator]()
  return typeof value === 'object' && value !== null ? Object.entries(value)[Symbol.iterator]() : undefined
}

const emptied = (value: unknown) => Array.isArray(value) ? [] : {}

/** Puts a value together again, of nodes that nobody has checked. */
export class Assembled {
  value: unknown = null
  /** The lists and objects that a node may still be in, outermost first. */
  readonly #open: Array<unknown[] | Record<string, unknown>> = []

  /** Takes the next nodes. Returns whether they can follow those before. */
  take (nodes: readonly Node[]): boolean {
    return nodes.every((node) => this.#add(node))
  }

  #add ([depth, name, value]: Node): boolean {
    if (!Number.isInteger(depth) || depth < 0 || depth > this.#open.length) return false
    if (depth === 0 && this.#open.length > 0) return false
    this.#open.length = depth
    const within = this.#open[depth - 1]
    if (within === undefined) this.value = value
    else if (Array.isArray(within)) within.push(value)
    // Assigned, this name would change what the object inherits.
    else if (name === '__proto__') Object.defineProperty(within, name, { value, enumerable: true, configurable: true, writable: true })
    else within[name] = value
    if (typeof value === 'object' && value !== null) this.#open.push(value as Record<string, unknown>)
    return true
  }
}
