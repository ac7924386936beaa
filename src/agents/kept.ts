import type { Id } from '../../schema/common.ts'

/** A cached response: its entity tag, its bytes, and its Link header if it has one. */
export interface KeptAnswer {
  tag: string
  body: Buffer
  link?: string
  /** Which conversation counts it shows, and of which agents, in their order. */
  tally: number
  ids: readonly Id[]
  /** Its entity tag with other counts. */
  tagWith (tally: number, counts: readonly number[]): string
}

/** Characters reserved for a count in a cached response: room for any value. */
const DIGITS = 10
const COUNT = ',"conversations":'

/**
 * A serialised response with room for any conversation count. Quotes are escaped inside JSON strings, so nothing else
 * looks like a count.
 */
export function withCountPlaceholder (json: string): string {
  return json.replaceAll(/,"conversations":(\d+)/g, (_, count: string) => COUNT + count.padStart(DIGITS))
}

/** The same response with current counts: a chat must not cause everybody's lists to be read and serialised again. */
export function patchCounts (answer: KeptAnswer, tally: number, counts: readonly number[]): KeptAnswer {
  // Others may still be reading the old bytes.
  const body = Buffer.from(answer.body)
  let at = 0
  for (const count of counts) {
    at = body.indexOf(COUNT, at) + COUNT.length
    body.write(String(count).padStart(DIGITS), at, 'latin1')
  }
  return { ...answer, body, tally, tag: answer.tagWith(tally, counts) }
}

/**
 * A cache of serialised responses, each valid for as long as the revision of what it shows, within a budget of bytes: a
 * repeated request costs no query and no serialising. Least recently used ones are evicted first.
 */
export interface KeptAnswers {
  /** The response cached under this name, if it is still valid. */
  recall (name: string, revision: number): KeptAnswer | undefined
  /** Caches it, unless it is so large that it would evict too many others. */
  keep (name: string, revision: number, answer: KeptAnswer): void
}

/** Approximate overhead of a response besides its bytes. */
const OVERHEAD = 512

/** Caches up to `budget` bytes of responses. */
export function keptAnswers (budget: number): KeptAnswers {
  const kept = new Map<string, KeptAnswer & { revision: number }>()
  let bytes = 0

  function drop (name: string) {
    const answer = kept.get(name)
    if (!answer) return
    bytes -= answer.body.length + OVERHEAD
    kept.delete(name)
  }

  return {
    recall (name, revision) {
      const answer = kept.get(name)
      if (!answer || answer.revision !== revision) return undefined
      // Moved to the end, so that the first is the least recently used.
      kept.delete(name)
      kept.set(name, answer)
      return answer
    },
    keep (name, revision, answer) {
      drop(name)
      const size = answer.body.length + OVERHEAD
      if (size > budget / 8) return
      kept.set(name, { ...answer, body: copyOf(answer.body), revision })
      bytes += size
      for (const oldest of kept.keys()) {
        if (bytes <= budget) break
        drop(oldest)
      }
    }
  }
}

/** A copy of the bytes: a small buffer can be a slice of a larger one, all of which it would keep in memory. */
function copyOf (bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
