import type { Egress } from '../../platform/net/egress.ts'
import type { StreamLimits } from '../../platform/net/streamed.ts'
import { lazily } from '../../platform/lazily.ts'
import type { Model } from '../contract.ts'
import type { Open } from './ask.ts'
import { providerFetch } from './http.ts'

/** Models that speak Anthropic's protocol. The library is loaded when one is first asked. */
export function anthropic (outFor: (model: Model) => Pick<Egress, 'stream'>, limits: (model: Model) => StreamLimits): Open {
  const library = lazily(() => import('@ai-sdk/anthropic'))
  return async (model) => {
    const { createAnthropic } = await library()
    // Without a key it would look for one elsewhere; the right one is passed with each question.
    return createAnthropic({
      baseURL: model.provider.url, apiKey: '-', fetch: providerFetch(outFor(model), limits(model))
    })(model.name)
  }
}
