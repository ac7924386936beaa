import { lazily } from '../platform/lazily.ts'
import { egress, EgressError, type Egress, type Lookup } from '../platform/net/egress.ts'
import { openPace } from '../platform/net/pace.ts'
import type { StreamLimits } from '../platform/net/streamed.ts'
import { chooseModels, type Offer } from './choose.ts'
import { modelClient, type ClientNeeds } from './client.ts'
import type { Ask, Model, Models, Provider } from './contract.ts'
import { MODEL_ERRORS, type ModelErrorCode } from './error.ts'
import { hostsOf } from './offers.ts'
import { anthropic } from './providers/anthropic.ts'
import { asking } from './providers/ask.ts'
import { keyHeaders, limitsFor, modelErrorOf } from './providers/http.ts'
import { openaiCompatible } from './providers/openai.ts'
import type { ModelProviderStore } from './store.ts'

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
