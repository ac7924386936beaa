import type { Id } from '../../../schema/common.ts'
import type { LanguageModel, ModelTrial } from '../../../schema/models.ts'
import { matches, type Offer } from '../choose.ts'
import type { ModelPart, Models, Provider, Tokens } from '../contract.ts'
import { ModelError } from '../error.ts'
import { ANTHROPIC_URL, OPENAI_URL } from '../offers.ts'

/** The question for a trial, and the maximum tokens of its answer. */
const ASKED = { system: 'You are tried out. Answer with one short sentence.', text: 'Hello! Are you there?' }
const ANSWER_TOKENS = 200
/** Characters of the answer that are shown. */
const SHOWN = 200

/** Usage of one try, for the ledger. */
export interface Tried {
  model: string, provider: string, usage: Tokens, firstMs: number | null, totalMs: number, isComplete: boolean
}

/** Dependencies for listing and trying models. */
interface TrialNeeds {
  models: Pick<Models, 'choose' | 'answer'>
  installation: () => readonly Offer[]
  ofAccount: (owner: Id) => Promise<ReadonlyArray<{ name: string, models: readonly string[], provider: Provider }>>
  /** Names of models that the account's agents ask for. */
  usedBy: (owner: Id) => Promise<string[]>
  hasPremium: (owner: Id) => Promise<boolean>
  /** Whether the account has used up its tokens of the day. */
  isSpent: (owner: Id) => Promise<boolean>
  note: (owner: Id, tried: Tried) => Promise<void>
  /** Milliseconds of a clock that never goes back. */
  now: () => number
}

/** Which models answer for an account, and trying one of them. */
export interface Trial {
  list (owner: Id): Promise<LanguageModel[]>
  attempt (owner: Id, model: string, signal: AbortSignal): Promise<ModelTrial>
}

/** See Trial. The usage of a try counts like that of any answer. */
export function openTrial ({
  models, installation, ofAccount, usedBy, hasPremium, isSpent, note, now
}: TrialNeeds): Trial {
  return {
    async list (owner) {
      return linesOf(await ofAccount(owner), installation(), await usedBy(owner), await hasPremium(owner))
    },

    async attempt (owner, name, signal) {
      const choice = await models.choose({ id: owner, hasPremium: await hasPremium(owner) }, name)
      if ('none' in choice) return silent(name, choice.none)
      if (choice.models[0].provider.isOperators && await isSpent(owner)) {
        return silent(name, "The account's tokens of today are used up. Try it tomorrow, or have the operator raise AGENTHALL_DAILY_TOKENS.")
      }
      const begun = now()
      const heard = hearing(now, begun)
      const wording = () => ({ system: ASKED.system, messages: [{ role: 'user' as const, text: ASKED.text }] })
      const request = { models: choice.models, owner, wording, temperature: 0, answerTokens: ANSWER_TOKENS }
      let fault: string | null = null
      try {
        for await (const part of models.answer(request, signal)) heard.part(part)
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        fault = error.message
      }
      const { model = name, provider, usage, text, firstMs } = heard.all()
      if (provider !== undefined) {
        const totalMs = Math.round(now() - begun)
        await note(owner, { model, provider, usage, firstMs, totalMs, isComplete: fault === null })
      }
      const { input_tokens: input, output_tokens: output, cost } = usage
      return {
        answers: fault === null,
        message: fault,
        model,
        text,
        first_ms: firstMs,
        input_tokens: input,
        output_tokens: output,
        cost
      }
    }
  }
}

const NOTHING: Tokens = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null }

/** A model that was not asked, and why. */
function silent (model: string, message: string): ModelTrial {
  return { answers: false, message, model, text: '', first_ms: null, input_tokens: 0, output_tokens: 0, cost: null }
}

/** Collects what a model says. */
function hearing (now: () => number, begun: number) {
  let [text, firstMs] = ['', null as number | null]
  let asked: Extract<ModelPart, { type: 'asked' }> | undefined
  let usage: Tokens | undefined
  return {
    part (one: ModelPart) {
      if (one.type === 'asked') asked = one
      if (one.type === 'usage') usage = one.usage
      if (one.type !== 'text') return
      firstMs ??= Math.round(now() - begun)
      if (text.length < SHOWN) text = (text + one.text).slice(0, SHOWN).toWellFormed()
    },
    all: () => ({
      model: asked?.model,
      provider: asked?.provider,
      usage: usage ?? asked?.spent() ?? NOTHING,
      text: text.trim(),
      firstMs
    })
  }
}

/**
 * Models that answer, the account's own first, in the order in which they are asked. `used`: each name appears where it
 * is answered. Pure.
 */
export function linesOf (
  ofAccount: Awaited<ReturnType<TrialNeeds['ofAccount']>>,
  installation: readonly Offer[],
  used: readonly string[],
  hasPremium: boolean
): LanguageModel[] {
  const left = new Set(used)
  const take = (patterns: readonly string[]) => {
    const found = [...left].filter((name) => patterns.some((pattern) => matches(pattern, name)))
    for (const name of found) left.delete(name)
    return found
  }
  return [
    ...ofAccount.map(({ name, models, provider }): LanguageModel => ({
      models: [...models],
      name,
      provider: kindOf(provider),
      is_own: true,
      is_usable: true,
      price: null,
      context: null,
      used: take(models)
    })),
    ...installation.map(({ match, provider, isPremium, price, context }): LanguageModel => ({
      models: [match],
      name: '',
      provider: kindOf(provider),
      is_own: false,
      is_usable: hasPremium || !isPremium,
      price: price && { input: price.input, output: price.output },
      context,
      used: take([match])
    }))
  ]
}

function kindOf ({ kind, url }: Provider): LanguageModel['provider'] {
  if (kind === 'anthropic') return url === ANTHROPIC_URL ? 'anthropic' : 'openai-compatible'
  return url === OPENAI_URL ? 'openai' : 'openai-compatible'
}
