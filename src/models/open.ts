import type { Id } from '../../schema/common.ts'
import type { Config, Kernel } from '../kernel/index.ts'
import type { Sent } from '../personal-data/contract.ts'
import { lazily } from '../platform/lazily.ts'
import type { Offer } from './choose.ts'
import { connectModels } from './client.ts'
import type { Models } from './contract.ts'
import { offersFrom, type ModelSettings } from './offers.ts'
import type { ModelProviderStore } from './store.ts'
import { sqliteModelProviderStore } from './store.sqlite.ts'

/** The language models of the installation and of its accounts. */
export interface LanguageModels {
  models: Models
  /** Model providers that accounts configure themselves. */
  providers: ModelProviderStore
  /** What the installation itself offers. */
  offers: () => readonly Offer[]
  /** Where what visitors said is sent to. */
  hosts (owner: Id): Promise<Sent[]>
}

/** The operator's settings for models. */
export function modelSettings (
  { OPENAI_KEY: openaiKey, ANTHROPIC_KEY: anthropicKey, MODEL_URL: url, MODEL_KEY: urlKey, MODELS: file }: Config
): ModelSettings {
  return { openaiKey, anthropicKey, url, urlKey, file }
}

/** Opens them. Refuses with `invalid_request` a list of models that cannot be read. */
export function openModels (kernel: Kernel): LanguageModels {
  const { config, clock, log } = kernel
  const providers = sqliteModelProviderStore(kernel)
  const offers = lazily(() => offersFrom(modelSettings(config)))
  // A list that cannot be read is reported when the server starts, not to the first visitor.
  if (kernel.serving) offers()
  const models = connectModels({
    offers,
    providers,
    now: () => clock.monotonic(),
    userAgent: kernel.userAgent,
    isRedacting: config.MODEL_REDACT,
    firstByteMs: config.MODEL_FIRST_BYTE * 1000,
    load: { atOnce: config.MODEL_ANSWERS, perHolder: config.MODEL_ANSWERS_PER_ACCOUNT },
    onFailure: ({ code, detail }, { name, provider }) =>
      log.warn({ model: name, provider: provider.id, code, detail }, 'a language model failed')
  })
  kernel.onWork(() => providers.reseal().catch((error) => log.warn({}, error.message)))
  kernel.onClose(() => models.close())
  return {
    models,
    providers,
    offers,
    hosts: async (owner) => [
      ...offers().map(({ provider }) => provider.url), ...(await providers.list(owner)).map(({ url }) => url)
    ].map((url) => ({ url, purpose: 'answers' as const }))
  }
}
