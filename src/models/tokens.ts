/**
 * Bytes of UTF-8 that are counted as one token before anything is known: fewer than any language has, so that prompts
 * fit.
 */
const BYTES_A_TOKEN = 3
/** How much of the newest report goes into the estimate. */
const WEIGHT = 0.2
const MOST_MODELS = 1000

/** Estimates tokens: no tokenizer of megabytes, and the providers say afterwards how many there were. */
interface TokenEstimate {
  /** Of a text, or of so many bytes of one. */
  of (model: string, text: string | number): number
  /** A model reported so many tokens for a prompt of so many bytes. */
  learn (model: string, bytes: number, tokens: number): void
}

/** See TokenEstimate. */
export function openTokenEstimate (): TokenEstimate {
  /** Tokens a byte. */
  const known = new Map<string, number>()
  const rate = (model: string) => known.get(model) ?? 1 / BYTES_A_TOKEN

  return {
    of: (model, text) => Math.ceil((typeof text === 'number' ? text : Buffer.byteLength(text)) * rate(model)),
    learn (model, bytes, tokens) {
      // A report that cannot be true says nothing; short prompts say little.
      if (bytes < 200 || tokens < bytes / 20 || tokens > bytes) return
      if (!known.has(model) && known.size >= MOST_MODELS) return
      known.set(model, rate(model) * (1 - WEIGHT) + tokens / bytes * WEIGHT)
    }
  }
}
