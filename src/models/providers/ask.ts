import type {
  LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart, LanguageModelV4Usage
} from '@ai-sdk/provider'
import type { Ask, Model, ModelPart, ModelRequest, ProviderPart, Tool } from '../contract.ts'
import { textOf } from '../said.ts'
import { ModelError } from '../error.ts'
import { keyHeaders, modelErrorOf } from './http.ts'
import { withoutThinking } from './think.ts'
import { objectOf, ownProperty } from '../../platform/objects.ts'

/** Creates a model client, in the form that all provider libraries share; the key is passed with each question. */
export type Open = (model: Model, habits: Habits) => Promise<LanguageModelV4>

/** What a model was found not to support; remembered while the server runs. */
export interface Habits {
  takesNoTools: boolean
  takesNoTemperature: boolean
  /** It does not know `response_format`. */
  takesNoFormat: boolean
  /** It does not know `stream_options`, which would make it report usage. */
  takesNoStreamOptions: boolean
  /** It wants `max_completion_tokens` instead of `max_tokens`. */
  countsCompletion: boolean
}

const NO_HABITS: Habits = {
  takesNoTools: false,
  takesNoTemperature: false,
  takesNoFormat: false,
  takesNoStreamOptions: false,
  countsCompletion: false
}
const TOOL = 'act'
const MOST_REMEMBERED = 1000
/** Models cached at most; all dropped together when there are more. */
const MOST_OPEN = 50

/**
 * Asks models through their providers' libraries. A model that refuses what it does not know is asked again without it,
 * at once.
 */
export function asking (open: Open): Ask {
  const known = new Map<string, Habits>()
  const opened = openedOnce(open)

  return async function * ask (model, request, signal) {
    const name = `${model.provider.id} ${model.name}`
    for (;;) {
      const habits = known.get(name) ?? NO_HABITS
      if (request.tools && habits.takesNoTools) throw new ModelError('model_without_tools')
      try {
        const asked = await opened(model, habits)
        const options = { ...optionsOf(request, habits, signal), headers: await keyHeaders(model.provider) }
        const { stream, request: sent } = await asked.doStream(options)
        letGo(options.prompt, sent?.body)
        return yield * partsOf(stream, request.tools ?? [])
      } catch (error) {
        signal.throwIfAborted()
        const failure = modelErrorOf(error)
        const learnt = learnFrom(failure, habits, request)
        if (!learnt || known.size >= MOST_REMEMBERED) throw failure
        known.set(name, learnt)
      }
    }
  }
}

/** Creating a model client takes milliseconds and 100 KB: all its answers share one. */
function openedOnce (open: Open): Open {
  const models = new Map<string, LanguageModelV4>()
  return async (model, habits) => {
    const { provider: { url, isOperators }, name } = model
    const place = JSON.stringify([url, isOperators, name, habits.countsCompletion, habits.takesNoStreamOptions])
    const known = models.get(place)
    if (known) return known
    const opened = await open(model, habits)
    if (models.size >= MOST_OPEN) models.clear()
    models.set(place, opened)
    return opened
  }
}

/** What a refusal reveals about the model; undefined if nothing new. */
function learnFrom (
  { code, detail }: ModelError, habits: Habits, { actions, tools, isJson }: ModelRequest
): Habits | undefined {
  if (code !== 'model_request_refused' && code !== 'model_not_found') return undefined
  if (!habits.countsCompletion && /max_completion_tokens/.test(detail)) return { ...habits, countsCompletion: true }
  if (!habits.takesNoStreamOptions && /stream_options|include_usage/.test(detail)) {
    return { ...habits, takesNoStreamOptions: true }
  }
  if (!habits.takesNoTemperature && /temperature/i.test(detail)) return { ...habits, takesNoTemperature: true }
  if (!habits.takesNoFormat && isJson && /response_format|json/i.test(detail)) return { ...habits, takesNoFormat: true }
  if (!habits.takesNoTools && (actions ?? tools) && /tool|function/i.test(detail)) return { ...habits, takesNoTools: true }
  return undefined
}

function optionsOf (request: ModelRequest, habits: Habits, signal: AbortSignal): LanguageModelV4CallOptions {
  const { wording, temperature, answerTokens, isJson } = request
  const tools = habits.takesNoTools ? [] : toolsOf(request)
  const { system, messages } = wording()
  return {
    prompt: [
      { role: 'system', content: system },
      ...messages.map((said) => ({ role: said.role, content: [{ type: 'text' as const, text: textOf(said) }] }))
    ],
    maxOutputTokens: answerTokens,
    ...(!habits.takesNoTemperature && { temperature }),
    ...(isJson && !habits.takesNoFormat && { responseFormat: { type: 'json' as const } }),
    ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' as const } }),
    abortSignal: signal
  }
}

/** Clears a library's input and request body, which it keeps until the answer ends: tens of KB each. */
function letGo (prompt: unknown[], sent: unknown) {
  const { system, messages } = objectOf(sent)
  for (const told of [prompt, system, messages]) if (Array.isArray(told)) told.length = 0
}

function toolsOf ({ actions, tools = [] }: ModelRequest): LanguageModelV4FunctionTool[] {
  return [
    ...(actions ? [toolOf(actions)] : []),
    ...tools.map(({ name, description, parameters }) => ({
      type: 'function' as const, name, description, inputSchema: parameters
    }))
  ]
}

/** Our only built-in tool: an action and its reason, both from lists. */
function toolOf ({ names, reasons }: NonNullable<ModelRequest['actions']>) {
  return {
    type: 'function' as const,
    name: TOOL,
    description: 'Proposes something to be done beside the answer. Use it only when it is needed.',
    inputSchema: {
      type: 'object' as const,
      properties: {
        action: { type: 'string' as const, enum: [...names] }, reason: { type: 'string' as const, enum: [...reasons] }
      },
      required: ['action', 'reason'],
      additionalProperties: false
    }
  }
}

/** Written without generators of its own for each part: thousands of parts come a second. */
async function * partsOf (
  stream: ReadableStream<LanguageModelV4StreamPart>, tools: readonly Tool[]
): AsyncGenerator<ProviderPart, void> {
  const visible = withoutThinking()
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') {
      const text = visible.push(part.delta)
      if (text) yield { type: 'text', text }
    } else if (part.type === 'tool-call') {
      const action = tools.some(({ name }) => name === part.toolName)
        ? { type: 'call' as const, name: part.toolName, given: parsed(part.input) }
        : actionOf(part.toolName, part.input)
      if (action) yield action
    } else if (part.type === 'finish') {
      const text = visible.end()
      if (text) yield { type: 'text', text }
      const reason = endOf(part.finishReason.unified)
      if (!reason) {
        throw new ModelError('model_broken', {
          isRetryable: true, detail: `finish reason ${part.finishReason.raw ?? part.finishReason.unified}`
        })
      }
      const usage = usageOf(part.usage)
      if (usage) yield usage
      yield { type: 'end', reason }
      return
    }
  }
}

/** A proposal, if valid; any other counts as none. */
function actionOf (tool: string, input: unknown): ProviderPart | undefined {
  if (tool !== TOOL) return undefined
  const { action, reason } = parsed(input)
  return typeof action === 'string'
    ? { type: 'action', action, reason: typeof reason === 'string' ? reason : '' }
    : undefined
}

function parsed (input: unknown): Record<string, unknown> {
  try {
    return Object(typeof input === 'string' ? JSON.parse(input) : input)
  } catch {
    return {}
  }
}

const ENDS: Record<string, Extract<ModelPart, { type: 'end' }>['reason']> = {
  stop: 'finished', 'tool-calls': 'finished', length: 'length', 'content-filter': 'filtered'
}

/** How an answer ended; undefined if it just broke off. */
const endOf = (reason: string) => ownProperty(ENDS, reason)

/** Undefined if the provider reports nothing or impossible values: then it is estimated. */
function usageOf ({ inputTokens, outputTokens }: LanguageModelV4Usage): ProviderPart | undefined {
  if (inputTokens.total === undefined) return undefined
  const usage = {
    input_tokens: inputTokens.total,
    output_tokens: outputTokens.total ?? 0,
    cached_tokens: inputTokens.cacheRead ?? 0
  }
  const isPossible = Object.values(usage).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)
  return isPossible ? { type: 'usage', usage } : undefined
}
