/** A failure of a provider. `retryable`: waiting, or correcting a setting, may help. */
export class ProviderError extends Error {
  readonly code:
    | 'provider_unauthorized'
    | 'provider_refused'
    | 'provider_limited'
    | 'provider_unavailable'
    | 'provider_broken'
    | 'provider_gone'

  readonly retryable: boolean

  constructor (code: ProviderError['code'], message: string, { retryable = true } = {}) {
    super(message)
    this.name = 'ProviderError'
    this.code = code
    this.retryable = retryable
  }
}
