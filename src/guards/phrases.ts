/*
 * Phrases compiled into one automaton (Aho-Corasick) that scans a text once, however many phrases there are and however
 * they repeat: its state tells what matches at each position.
 */

/** A phrase that ends: whose, and how many symbols it has. */
interface End { rule: number, length: number }

interface Node { next: Map<string, Node> | undefined, otherwise: Node | undefined, ends: readonly End[] }

/** Compiled phrases to scan texts with. */
export interface Phrases { root: Node, isEmpty: boolean }

/** A phrase as its symbols, words or letters, and its rule. */
export interface Phrase { symbols: readonly string[], rule: number }

/** Nodes built, and symbols scanned, between two pauses. */
const NODES_AT_ONCE = 500

/** Builds the automaton; pauses between pieces of work. */
export function * phrasesOf (phrases: Iterable<Phrase>): Generator<void, Phrases> {
  const root: Node = { next: undefined, otherwise: undefined, ends: [] }
  for (const { symbols, rule } of phrases) {
    let at = root
    for (const symbol of symbols) at = nextOf(at, symbol)
    const isNew = at !== root && !at.ends.some((end) => end.rule === rule)
    if (isNew) at.ends = [...at.ends, { rule, length: symbols.length }]
    yield
  }
  const queue = [root]
  for (let nth = 0; nth < queue.length; nth++) {
    const node = queue[nth]!
    for (const [symbol, next] of node.next ?? []) {
      const before = node === root ? root : step(root, node.otherwise!, symbol)
      next.otherwise = before
      const here = next.ends
      // Of each rule only the longest ending here: it covers the shorter.
      const others = before.ends.filter(({ rule }) => !here.some((one) => one.rule === rule))
      next.ends = here.length === 0 ? before.ends : [...here, ...others]
      queue.push(next)
    }
    if (nth % NODES_AT_ONCE === 0) yield
  }
  return { root, isEmpty: root.next === undefined }
}

function nextOf (node: Node, symbol: string): Node {
  const known = node.next?.get(symbol)
  if (known) return known
  const made: Node = { next: undefined, otherwise: undefined, ends: [] }
  node.next ??= new Map()
  node.next.set(symbol, made)
  return made
}

function step (root: Node, from: Node, symbol: string): Node {
  let node = from
  while (node !== root && !node.next?.has(symbol)) node = node.otherwise!
  return node.next?.get(symbol) ?? root
}

/**
 * Finds phrases among symbols, from the first to the last symbol of each; no phrase extends across an undefined symbol.
 * Pauses between pieces of the work.
 */
export function * findingPhrases (
  { root, isEmpty }: Phrases, symbols: Iterable<string | undefined>,
  tell: (rule: number, first: number, last: number) => void
): Generator<void, void> {
  if (isEmpty) return
  let node = root
  let at = 0
  for (const symbol of symbols) {
    if (at % NODES_AT_ONCE === NODES_AT_ONCE - 1) yield
    node = symbol === undefined ? root : step(root, node, symbol)
    for (const { rule, length } of node.ends) tell(rule, at - length + 1, at)
    at++
  }
}
