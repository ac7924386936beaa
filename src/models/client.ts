import { setTimeout as pause } from 'node:timers/promises'
import { openBreaker } from './breaker.ts'
import type { Ask, Model, ModelPart, ModelRequest, Models, Price, Provider, Tokens, Wording } from './contract.ts'
import { MODEL_ERRORS, ModelError, type ModelErrorCode } from './error.ts'
import type { StreamLimits } from '../platform/net/streamed.ts'
import { openPlaces, type Places } from '../platform/process/places.ts'
import { redacted } from './redact.ts'
import { textOf } from './said.ts'
import { lazily } from '../platform/lazily.ts'
import { egress, type Egress, EgressError, type Lookup } from '../platform/net/egress.ts'
import { openPace } from '../platform/net/pace.ts'
import { chooseModels, type Offer } from './choose.ts'
import { hostsOf } from './offers.ts'
import { anthropic } from './providers/anthropic.ts'
import { asking } from './providers/ask.ts'
import { keyHeaders, limitsFor, modelErrorOf } from './providers/http.ts'
import { openaiCompatible } from './providers/openai.ts'
import type { ModelProviderStore } from './store.ts'

/** Dependencies for asking models. */
export interface ClientNeeds {
  /** Asks one model once, in its provider's protocol. */
  ask: Ask
  /** Milliseconds of a clock that never goes back. */
  now: () => number
  /** Mask what identifies a visitor. */
  isRedacting?: boolean
  /** How long a model may take, in milliseconds. */
  limitsOf?: (model: Model) => Pick<StreamLimits, 'firstByteMs' | 'totalMs'>
  /** Called with every failure, including what the provider said: for the log. */
  onFailure?: (error: ModelError, model: Model) => void
  times?: Partial<Times>
  load?: Partial<typeof LOAD>
}

/** Milliseconds. */
export interface Times {
  /** For everything, from queueing to the end of the answer; more where a model may take longer. */
  totalMs: number
  /** For the first word, however many models are tried; more where one may take longer. */
  firstWordMs: number
  /** For waiting in the queue. */
  waitMs: number
  /** Before the first retry; twice as long before the second. */
  retryMs: number
  /** The longest that a provider may ask us to wait. */
  longestRetryMs: number
}

const TIMES: Times = { totalMs: 90_000, firstWordMs: 30_000, waitMs: 10_000, retryMs: 300, longestRetryMs: 5000 }
const LIMITS = { firstByteMs: 0, totalMs: 0 }
/** Concurrent answers, in total and per account. */
const LOAD = { atOnce: 32, perHolder: 8 }
const RETRIES = 2
/** Characters allowed per token of the answer's limit: servers count differently, but no answer may be endless. */
const LONGEST_TOKEN = 256
const ONLY_THOUGHT =
  'it used all tokens before writing an answer: raise token_length, or choose a model that reasons less'
const ONLY_FILTERED = "the provider's content filter left nothing of the answer"
const ENDLESS = 'the answer is far longer than max_tokens allows'
/** Failures that say something about the provider, not about the question. */
const FAULTS: readonly ModelErrorCode[] = ['model_unavailable', 'model_timeout', 'model_broken']

/** Asks models: retries before the first piece, then the next model, with bounded concurrency. See Models. */
export function modelClient ({
  ask, now, isRedacting = false, limitsOf = () => LIMITS, onFailure = () => {}, times: given, load
}: ClientNeeds) {
  const times = { ...TIMES, ...given }
  const places = openPlaces({ ...LOAD, ...load })
  const breaker = openBreaker(now)
  const estimate = openTokenEstimate()

  async function * answer (asked: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    const request = isRedacting
      ? { ...asked, wording: () => masked(asked.wording()) }
      : asked
    const limits = asked.models.map(limitsOf)
    const late = timer(Math.max(times.totalMs, ...limits.map(({ totalMs }) => totalMs)), 'model_timeout')
    const first = timer(Math.max(times.firstWordMs, ...limits.map(({ firstByteMs }) => firstByteMs)), 'model_timeout')
    const either = AbortSignal.any([signal, late.signal, first.signal])
    let leave = () => {}
    try {
      leave = await enter(places, request.owner, times.waitMs, either)
      yield * firstThatAnswers(request, first.end, either)
    } catch (error) {
      signal.throwIfAborted()
      throw either.aborted && !(error instanceof ModelError) ? either.reason : error
    } finally {
      first.end()
      late.end()
      leave()
    }
  }

  /** Calls `begun` on the first word or proposed action. */
  async function * firstThatAnswers (
    request: ModelRequest, begun: () => void, signal: AbortSignal
  ): AsyncGenerator<ModelPart, void> {
    let failure: ModelError | undefined
    for (const model of request.models) {
      for (let tries = 0; breaker.allows(model.provider.id); tries++) {
        const attempt = { isBegun: false, begun }
        try {
          return yield * once(model, request, attempt, signal)
        } catch (error) {
          failure = noted(error, model, signal)
          if (attempt.isBegun) throw failure
          const waitMs = failure.againInMs ?? times.retryMs * 2 ** tries
          if (!failure.isRetryable || tries >= RETRIES || waitMs > times.longestRetryMs) break
          await pause(waitMs, undefined, { signal })
        }
      }
    }
    throw failure ?? new ModelError('model_unavailable')
  }

  /** One try. Records in `attempt` that output was passed on, after which there is no further try. */
  async function * once (
    model: Model, request: ModelRequest, attempt: { isBegun: boolean, begun: () => void }, signal: AbortSignal
  ): AsyncGenerator<ModelPart, void> {
    // Only the length, not the text: hundreds of answers are written at once.
    const written = { units: 0, bytes: 0 }
    let counted: Tokens | undefined
    let [isEnded, isSaid] = [false, false]
    const spent = () => counted ?? guessed(model, request, written.bytes)
    const answering = { model: model.name, provider: model.provider.id }
    yield { type: 'asked', ...answering, spent }
    for await (const part of ask(model, request, signal)) {
      if (!attempt.isBegun && (part.type === 'text' || part.type === 'action' || part.type === 'call')) {
        attempt.isBegun = true
        attempt.begun()
      }
      isSaid ||= part.type === 'action' || part.type === 'call' || (part.type === 'text' && /\S/.test(part.text))
      if (part.type === 'text') {
        written.units += part.text.length
        written.bytes += Buffer.byteLength(part.text)
      }
      if (written.units > request.answerTokens * LONGEST_TOKEN) throw new ModelError('model_broken', { detail: ENDLESS })
      if (part.type === 'usage') {
        counted = priced(part.usage, model.price)
        estimate.learn(model.name, bytesOf(request.wording()), part.usage.input_tokens)
        yield { type: 'usage', usage: counted }
      } else if (part.type === 'end') {
        isEnded = true
        // Some spend all their tokens on hidden reasoning, with none left for the answer.
        if (part.reason === 'length' && !isSaid) throw new ModelError('model_broken', { detail: ONLY_THOUGHT })
        // It is the question that it did not take: the provider is well, and another model may answer.
        if (part.reason === 'filtered' && !isSaid) {
          throw new ModelError('model_request_refused', { detail: ONLY_FILTERED })
        }
        breaker.succeeded(model.provider.id)
        if (!counted) yield { type: 'usage', usage: spent() }
        yield { type: 'end', ...answering, reason: part.reason }
      } else yield part
    }
    if (!isEnded) throw new ModelError('model_broken', { isRetryable: true })
  }

  /** The failure of a try, after it was reported. Rethrows anything that is not one. */
  function noted (error: unknown, model: Model, signal: AbortSignal): ModelError {
    if (!(error instanceof ModelError)) {
      signal.throwIfAborted()
      throw error
    }
    if (FAULTS.includes(error.code)) breaker.failed(model.provider.id)
    onFailure(error, model)
    return error
  }

  /** Estimated usage of an answer for which the provider reports none. */
  function guessed (model: Model, request: ModelRequest, writtenBytes: number): Tokens {
    const { system, messages } = request.wording()
    return priced(
      {
        input_tokens: estimate.of(model.name, system + messages.map(textOf).join('')),
        output_tokens: estimate.of(model.name, writtenBytes),
        cached_tokens: 0
      },
      model.price
    )
  }

  return { answer, tokens: (model: Pick<Model, 'name'>, text: string) => estimate.of(model.name, text) }
}

/** Waits for a slot, but not long. Returns a function that releases it. */
async function enter (places: Places, owner: number, waitMs: number, signal: AbortSignal): Promise<() => void> {
  const patience = timer(waitMs, 'model_busy')
  try {
    return await places.take(owner, AbortSignal.any([signal, patience.signal]))
  } finally {
    patience.end()
  }
}

/** A signal that aborts after this many milliseconds with a ModelError of this code, unless ended before. */
function timer (ms: number, code: ModelErrorCode) {
  const late = new AbortController()
  const timeout = setTimeout(() => late.abort(new ModelError(code)), ms)
  return { signal: late.signal, end: () => clearTimeout(timeout) }
}

function masked ({ system, messages }: Wording): Wording {
  return { system, messages: messages.map((one) => ({ ...one, text: redacted(one.text) })) }
}

function bytesOf ({ system, messages }: Wording): number {
  return messages.reduce((sum, said) => sum + Buffer.byteLength(textOf(said)), Buffer.byteLength(system))
}

function priced (usage: Omit<Tokens, 'cost'>, price: Price | null): Tokens {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached } = usage
  const millionths = price && (input - cached) * price.input + cached * price.cached + output * price.output
  return { ...usage, cost: millionths === null ? null : millionths / 1e6 }
}

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
function openTokenEstimate (): TokenEstimate {
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

/** What language models are connected with. */
interface ModelsNeeds extends Omit<ClientNeeds, 'ask'> {
  /** The installation's; read when first needed. Refuses as `offersFrom` does. */
  offers: () => readonly Offer[]
  /** The accounts' own. */
  providers: Pick<ModelProviderStore, 'offers'>
  /** The service's User-Agent. */
  userAgent: string
  /** Milliseconds that a provider may take to its first byte; 0: a default that depends on its address. */
  firstByteMs?: number
  limits?: StreamLimits
  /** In tests: another way of asking, other hosts for accounts. */
  ask?: Ask
  lookup?: Lookup
  accountHosts?: readonly string[]
}

const CHECK_BYTES = 4 * 2 ** 20

/** Connects them. Nothing is loaded or connected before a model is asked. */
export function connectModels ({
  offers, providers, userAgent, firstByteMs = 0, limits, ask, lookup, accountHosts = [], ...needs
}: ModelsNeeds): Models {
  const parts = { userAgent, pace: openPace(), ...(lookup && { lookup }) }
  // An address that the operator set may be private; one that an account set may not.
  const ways: Egress[] = []
  const way = (allowedHosts: () => readonly string[]) =>
    lazily(() => {
      const out = egress({ ...parts, allowedHosts: allowedHosts() })
      ways.push(out)
      return out
    })
  const operators = way(() => hostsOf(offers()))
  const accounts = way(() => accountHosts)
  const outFor = ({ isOperators }: Provider) => (isOperators ? operators() : accounts())
  const limitsOf = ({ provider }: Model) => limits ?? limitsFor(provider, firstByteMs)
  const speaking = {
    openai: asking(openaiCompatible(({ provider }) => outFor(provider), limitsOf)),
    anthropic: asking(anthropic(({ provider }) => outFor(provider), limitsOf))
  }
  const askByKind: Ask = (model: Model, request, signal) => speaking[model.provider.kind](model, request, signal)
  const client = modelClient({ ...needs, ask: ask ?? askByKind, limitsOf })

  return {
    ...client,
    choose: async ({ id, hasPremium }, name) =>
      chooseModels(name, { ofAccount: await providers.offers(id), installation: offers(), hasPremium }),

    async check (provider, signal) {
      try {
        const { status } = await outFor(provider).fetch(`${provider.url}/models`, {
          maxBytes: CHECK_BYTES, headers: await keyHeaders(provider), anyStatus: true, signal
        })
        return status < 300 ? { ok: true } : failed(modelErrorOf({ statusCode: status }).code)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof EgressError)) throw error
        return failed(modelErrorOf(error).code)
      }
    },

    async close () {
      await Promise.all(ways.map((out) => out.close()))
    }
  }
}

function failed (code: ModelErrorCode) {
  return { ok: false as const, code, message: MODEL_ERRORS[code] }
}
