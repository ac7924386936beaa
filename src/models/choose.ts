import type { Choice, Model, Price, Provider } from './contract.ts'

/** An entry in the installation's list of models: which names it serves, and where they are requested. */
export interface Offer {
  /** A model's name, or a pattern with `*`. */
  match: string
  provider: Provider
  /** Needs the feature PREMIUM_MODELS. */
  isPremium: boolean
  price: Price | null
  context: number | null
  /** The name of the model to use when this one fails or may not be used. */
  fallback: string | null
}

/** What a choice depends on. */
export interface Offers {
  /** The account's own, oldest first: it pays for them, so it may use them on any tier. */
  ofAccount: ReadonlyArray<{ name: string, models: readonly string[], provider: Provider }>
  /** The installation's; the first match wins. */
  installation: readonly Offer[]
  hasPremium: boolean
}

/** A fallback may itself have one; longer chains are of no use. */
const MOST_MODELS = 4

/**
 * Which models answer for a name: the account's own provider that has it, else the installation's, with its fallbacks.
 * A premium model that may not be used gives way to its fallback.
 */
export function chooseModels (name: string, { ofAccount, installation, hasPremium }: Offers): Choice {
  const mine = ofAccount.find(({ models }) => models.some((pattern) => matches(pattern, name)))
  if (mine) return { models: [{ name, provider: mine.provider, price: null, context: null }] }
  const offers = chain(name, installation)
  const [first, ...others] = offers.filter(({ offer }) => hasPremium || !offer.isPremium).map(modelOf)
  if (first) return { models: [first, ...others] }
  if (offers.length > 0) {
    return {
      none: `The model "${name}" needs the feature PREMIUM_MODELS, which the account's tier does not have. Choose another model, or add a provider of your own.`
    }
  }
  return {
    none:
      installation.length + ofAccount.length === 0
        ? NO_MODELS
        : `No provider has the model "${name}". Choose another one, add a provider of your own, or have the operator add it to AGENTHALL_MODELS.`
  }
}

const NO_MODELS =
  'There are no language models: set AGENTHALL_OPENAI_KEY, AGENTHALL_ANTHROPIC_KEY, AGENTHALL_MODEL_URL or AGENTHALL_MODELS. Until then answers are quoted from the sources.'

/** The offer for a name, then those it falls back to, each once. */
function chain (name: string, installation: readonly Offer[]): Array<{ name: string, offer: Offer }> {
  const found: Array<{ name: string, offer: Offer }> = []
  let next: string | null = name
  while (next !== null && found.length < MOST_MODELS && !found.some((one) => one.name === next)) {
    const asked: string = next
    const offer = installation.find(({ match }) => matches(match, asked))
    if (!offer) break
    found.push({ name: asked, offer })
    next = offer.fallback
  }
  return found
}

function modelOf ({ name, offer: { provider, price, context } }: { name: string, offer: Offer }): Model {
  return { name, provider, price, context }
}

/** Whether a name fits a pattern, in which `*` stands for anything. Case-insensitive. */
export function matches (pattern: string, name: string): boolean {
  const [head = '', ...parts] = pattern.toLowerCase().split('*')
  const text = name.toLowerCase()
  const tail = parts.pop()
  if (tail === undefined) return text === head
  if (!text.startsWith(head)) return false
  let at = head.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
