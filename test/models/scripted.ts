import type { Ask, Model, ModelRequest, ProviderPart } from '../../src/models/index.ts'

/**
 * What a scripted model does when it is called: says these pieces, throws an error, waits for a promise, or both in
 * turn.
 */
export type Script = Array<string | ProviderPart | Error | Promise<unknown>>

/** A model of the operator's, as `choose` would return it. */
export function modelNamed (name = 'scripted-1', more: Partial<Model> = {}): Model {
  return {
    name,
    provider: { id: 'scripted', kind: 'openai', url: 'http://scripted.test/v1', key: () => null, isOperators: true },
    price: null,
    context: null,
    ...more
  }
}

/**
 * A provider that plays a script: for each question the next one, or what a function makes of the question. A script
 * without an end gets one, with a token a word. `asked` has every question in order.
 */
export function scripted (...scripts: Array<Script | ((request: ModelRequest, model: Model) => Script)>) {
  const asked: Array<{ model: Model, request: ModelRequest }> = []
  const ask: Ask = async function * (model, request, signal) {
    const script = scripts[Math.min(asked.length, scripts.length - 1)] ?? []
    asked.push({ model, request })
    let words = 0
    let isEnded = false
    for (const one of typeof script === 'function' ? script(request, model) : script) {
      signal.throwIfAborted()
      if (one instanceof Error) throw one
      if (one instanceof Promise) await Promise.race([one, aborted(signal)])
      else {
        const part: ProviderPart = typeof one === 'string' ? { type: 'text', text: one } : one
        if (part.type === 'text') words += part.text.split(/\s+/).filter(Boolean).length
        isEnded ||= part.type === 'end'
        yield part
      }
    }
    signal.throwIfAborted()
    if (isEnded) return
    yield { type: 'usage', usage: { input_tokens: 100, output_tokens: words, cached_tokens: 0 } }
    yield { type: 'end', reason: 'finished' }
  }
  return { ask, asked }
}

function aborted (signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
