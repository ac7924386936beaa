/*
 * Phrases as one machine that goes through a text once, however many there are and however they repeat (Aho and
 * Corasick): what is found at each place is known from where the machine is.
 */

/** A phrase that ends: whose, and how many symbols it has. */
interface End { rule: number, length: number }

interface Node { next: Map<string, Node> | undefined, otherwise: Node | undefined, ends: readonly End[] }

/** Phrases that texts are gone through with. */
export interface Phrases { root: Node, isEmpty: boolean }

/** A phrase as its symbols, words or letters, and the rule that it is of. */
export interface Phrase { symbols: readonly string[], rule: number }

/** Nodes that are made ready at one stretch, and symbols that are looked at. */
const AT_ONCE = 500

/** Makes the machine; stops between pieces of the work. */
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
      const own = next.ends
      // Of each rule the longest that ends here: it covers the shorter ones.
      const others = before.ends.filter(({ rule }) => !own.some((one) => one.rule === rule))
      next.ends = own.length === 0 ? before.ends : [...own, ...others]
      queue.push(next)
    }
    if (nth % AT_ONCE === 0) yield
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
 * Tells where phrases stand among symbols, from the first to the last of each; no phrase goes on over what is
 * undefined. Stops between pieces of the work.
 */
export function * findingPhrases (
  { root, isEmpty }: Phrases, symbols: Iterable<string | undefined>,
  tell: (rule: number, first: number, last: number) => void
): Generator<void, void> {
  if (isEmpty) return
  let node = root
  let at = 0
  for (const symbol of symbols) {
    if (at % AT_ONCE === AT_ONCE - 1) yield
    node = symbol === undefined ? root : step(root, node, symbol)
    for (const { rule, length } of node.ends) tell(rule, at - length + 1, at)
    at++
  }
}
