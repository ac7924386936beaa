import type { Egress } from '../../platform/net/egress.ts'
import type { StreamLimits } from '../../platform/net/streamed.ts'
import { lazily } from '../../platform/lazily.ts'
import type { Model } from '../contract.ts'
import type { Habits, Open } from './ask.ts'
import { providerFetch } from './http.ts'

/** Models that speak OpenAI's protocol, which most servers do. The library is loaded when one is first asked. */
export function openaiCompatible (outFor: (model: Model) => Pick<Egress, 'stream'>, limits: StreamLimits): Open {
  const library = lazily(() => import('@ai-sdk/openai-compatible'))
  return async (model, habits) => {
    const { createOpenAICompatible } = await library()
    const { url, key } = model.provider
    const apiKey = key()
    return createOpenAICompatible({
      name: 'openai',
      baseURL: url,
      ...(apiKey !== null && { apiKey }),
      includeUsage: true,
      transformRequestBody: (body) => bodyFor(body, habits),
      fetch: providerFetch(outFor(model), limits, withTextArguments)
    }).languageModel(model.name)
  }
}

function bodyFor ({ max_tokens: most, ...body }: Record<string, unknown>, { countsCompletion }: Habits) {
  return countsCompletion ? { ...body, max_completion_tokens: most } : { ...body, max_tokens: most }
}

/** Some servers send a tool's arguments as an object; the protocol, and the library, want them as text. */
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/

function withTextArguments (answer: Response): Response {
  if (!answer.body || !/event-stream/.test(answer.headers.get('content-type') ?? '')) return answer
  return new Response(answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(lineByLine(mended)).pipeThrough(new TextEncoderStream()), answer)
}

function lineByLine (change: (line: string) => string): TransformStream<string, string> {
  let rest = ''
  return new TransformStream({
    transform (text, controller) {
      const lines = text.split('\n')
      lines[0] = rest + lines[0]
      rest = lines.pop() ?? ''
      if (lines.length) controller.enqueue(lines.map((line) => `${change(line)}\n`).join(''))
    },
    flush (controller) {
      if (rest) controller.enqueue(change(rest))
    }
  })
}

function mended (line: string): string {
  if (!line.startsWith('data:') || !OBJECT_ARGUMENTS.test(line)) return line
  try {
    return `data: ${JSON.stringify(JSON.parse(line.slice('data:'.length)), (key, value) => key === 'arguments' && typeof value === 'object' ? JSON.stringify(value) : value)}`
  } catch {
    return line
  }
}
