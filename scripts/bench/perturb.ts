const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const BEFORE = [
  'Hello, I hope you can help me today.',
  'I have been a customer of yours for several years now and I am very happy with everything so far.'
]
const AFTER = ['Thank you very much in advance for your kind help, and have a wonderful day!']

/** The same numbers for the same seed (mulberry32), so that runs are comparable. */
export function random (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ state >>> 15, 1 | state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32
  }
}

/**
 * A query with this many of its words mistyped, each once: a letter left out, doubled, replaced, or swapped with the
 * next. Words of four letters and more, as long as there are any.
 */
export function mistyped (query: string, words: number, draw: () => number): string {
  const parts = query.split(/(\p{L}+)/u)
  const long = parts.flatMap((part, at) => at % 2 === 1 && part.length >= 4 ? [at] : [])
  for (let left = words; left > 0 && long.length > 0; left--) {
    const [at] = long.splice(Math.floor(draw() * long.length), 1)
    parts[at!] = typo(parts[at!]!, draw)
  }
  return parts.join('')
}

function typo (word: string, draw: () => number): string {
  const at = 1 + Math.floor(draw() * (word.length - 2))
  const other = LETTERS[Math.floor(draw() * LETTERS.length)]!
  const [before, here, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)]
  const kinds = [
    before + after,
    before + other + here + after,
    before + other + after,
    before + after.slice(0, 1) + here + after.slice(1)
  ]
  return kinds[Math.floor(draw() * kinds.length)]!
}

/** A query with three polite sentences around it. */
export function polite (query: string): string {
  return [...BEFORE, query, ...AFTER].join(' ')
}
