import type { Id } from '../../schema/common.ts'

/** An answer as it is kept: its entity tag, its bytes, and its Link header where it has one. */
export interface KeptAnswer {
  tag: string
  body: Buffer
  link?: string
  /** Which counts of conversations it shows, and of which agents, in their order. */
  tally: number
  ids: readonly Id[]
  /** Its entity tag with other counts. */
  tagWith (tally: number, counts: readonly number[]): string
}

/** Characters that a count has in a kept answer: room for any other one. */
const DIGITS = 10
const COUNT = ',"conversations":'

/**
 * A serialised answer with room for any count of conversations. Inside a text of JSON a quote is escaped, so nothing
 * else looks like a count.
 */
export function roomy (json: string): string {
  return json.replaceAll(/,"conversations":(\d+)/g, (_, count: string) => COUNT + count.padStart(DIGITS))
}

/** The same answer with the counts of now: a chat must not make everybody's lists be read and serialised anew. */
export function recounted (answer: KeptAnswer, tally: number, counts: readonly number[]): KeptAnswer {
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
 * Answers, serialised, each for as long as the revision of what it shows stands, under a budget of bytes: asked for
 * again, they cost no query and no serialising. What has not been asked for longest goes first.
 */
export interface KeptAnswers {
  /** The answer kept under this name, if it is still right. */
  recall (name: string, revision: number): KeptAnswer | undefined
  /** Keeps it, unless it is so large that it would drive too many others out. */
  keep (name: string, revision: number, answer: KeptAnswer): void
}

/** What an answer costs beside its bytes, about. */
const OVERHEAD = 512

/** Keeps answers of `budget` bytes together. */
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
      // To the end of the row, so that the first is the one that has not been asked for longest.
      kept.delete(name)
      kept.set(name, answer)
      return answer
    },
    keep (name, revision, answer) {
      drop(name)
      const size = answer.body.length + OVERHEAD
      if (size > budget / 8) return
      kept.set(name, { ...answer, body: ofItsOwn(answer.body), revision })
      bytes += size
      for (const oldest of kept.keys()) {
        if (bytes <= budget) break
        drop(oldest)
      }
    }
  }
}

/** The same bytes in memory of their own: a small buffer is a part of a larger one, all of which it would keep. */
function ofItsOwn (bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}
