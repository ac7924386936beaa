import type { Egress } from '../../platform/net/egress.ts'
import type { Mending, StreamLimits } from '../../platform/net/streamed.ts'
import { lazily } from '../../platform/lazily.ts'
import type { Model } from '../contract.ts'
import type { Habits, Open } from './ask.ts'
import { providerFetch } from './http.ts'
import { LINE_FEED, mended } from './lines.ts'

/** Models that speak OpenAI's protocol, which most servers do. The library is loaded when one is first asked. */
export function openaiCompatible (outFor: (model: Model) => Pick<Egress, 'stream'>, limits: (model: Model) => StreamLimits): Open {
  const library = lazily(() => import('@ai-sdk/openai-compatible'))
  return async (model, habits) => {
    const { createOpenAICompatible } = await library()
    return createOpenAICompatible({
      name: 'openai',
      baseURL: model.provider.url,
      includeUsage: !habits.takesNoStreamOptions,
      transformRequestBody: (body) => bodyFor(body, habits),
      fetch: providerFetch(outFor(model), limits(model), mendedLines)
    }).languageModel(model.name)
  }
}

function bodyFor ({ max_tokens: most, ...body }: Record<string, unknown>, { countsCompletion }: Habits) {
  return countsCompletion ? { ...body, max_completion_tokens: most } : { ...body, max_tokens: most }
}

/**
 * Repairs and merges whole lines as they arrive: those with a tool's arguments, and text that arrived together. All
 * others pass through unchanged.
 */
function mendedLines ({ 'content-type': type = '' }: Record<string, string>): Mending | undefined {
  if (!/event-stream/.test(type)) return undefined
  let rest: Buffer = Buffer.alloc(0)
  return {
    /** Up to the end of the last line. */
    push (piece) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
      const end = bytes.lastIndexOf(LINE_FEED) + 1
      rest = bytes.subarray(end)
      return mended(bytes.subarray(0, end))
    },
    end: () => rest
  }
}
