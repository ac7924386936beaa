/**
 * Bytes of UTF-8 that are counted as one token before anything is known: fewer than any language has, so that prompts
 * fit.
 */
const BYTES_A_TOKEN = 3
/** Weight of the newest report in the estimate. */
const WEIGHT = 0.2
const MOST_MODELS = 1000

/** Estimates tokens: this saves megabytes of tokenizer, and providers report the count afterwards. */
interface TokenEstimate {
  /** Of a text, or of this many bytes of one. */
  of (model: string, text: string | number): number
  /** Records that a model reported this many tokens for a prompt of this many bytes. */
  learn (model: string, bytes: number, tokens: number): void
}

/** See TokenEstimate. */
export function openTokenEstimate (): TokenEstimate {
  /** Tokens per byte. */
  const known = new Map<string, number>()
  const rate = (model: string) => known.get(model) ?? 1 / BYTES_A_TOKEN

  return {
    of: (model, text) => Math.ceil((typeof text === 'number' ? text : Buffer.byteLength(text)) * rate(model)),
    learn (model, bytes, tokens) {
      // Implausible reports are ignored; short prompts say little.
      if (bytes < 200 || tokens < bytes / 20 || tokens > bytes) return
      if (!known.has(model) && known.size >= MOST_MODELS) return
      known.set(model, rate(model) * (1 - WEIGHT) + tokens / bytes * WEIGHT)
    }
  }
}
