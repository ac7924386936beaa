import { Refusal } from '../../platform/errors.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Sends one request outward; bodies as bytes. Rejects when there is no answer. */
export type Send = (
  url: string, request: { method: string, headers: Record<string, string>, body: string }
) => Promise<{ status: number, bytes: Uint8Array }>

/** An OpenAI-compatible service that makes embeddings. */
export interface Embedder {
  /** The base URL to which `/embeddings` is appended: `https://api.openai.com/v1`. */
  url: string
  model: string
  apiKey: string | null
  dimensions: number
}

/** Texts sent with one request. */
const BATCH = 64

/**
 * The embeddings of texts, in their order. Whatever goes wrong is `unavailable`, with the service's status in
 * `fields.status` (null for an answer that cannot be used): the caller tries again later, or searches by words alone.
 */
export async function embed (texts: string[], embedder: Embedder, send: Send): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let at = 0; at < texts.length; at += BATCH) {
    vectors.push(...(await embedBatch(texts.slice(at, at + BATCH), embedder, send)))
  }
  return vectors
}

async function embedBatch (
  texts: string[], { url, model, apiKey, dimensions }: Embedder, send: Send
): Promise<Float32Array[]> {
  const { status, bytes } = await send(`${withoutEnd(url, '/')}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' })
  })
  if (status !== 200) {
    throw new Refusal('unavailable', `The embeddings service answered ${status}: check its address, key and model.`, {
      fields: { status }
    })
  }
  const vectors = read(bytes)
  if (vectors.length !== texts.length) throw unusable(`${vectors.length} embeddings for ${texts.length} texts`)
  const odd = vectors.find((vector) => vector.length !== dimensions || !vector.every(Number.isFinite))
  if (odd !== undefined) throw unusable(`an embedding of ${odd.length} numbers where ${dimensions} are configured`)
  return vectors
}

/** Services may answer in any order; `index` says which text an embedding is of. */
function read (bytes: Uint8Array): Float32Array[] {
  try {
    const { data } = JSON.parse(Buffer.from(bytes).toString()) as { data: { index: number, embedding: number[] }[] }
    return data.sort((a, b) => a.index - b.index).map(({ embedding }) => Float32Array.from(embedding))
  } catch (cause) {
    throw unusable('something other than a list of embeddings', cause)
  }
}

function unusable (what: string, cause?: unknown): Refusal {
  return new Refusal('unavailable', `The embeddings service gave ${what}: check its model and dimensions.`, {
    fields: { status: null }, cause
  })
}
