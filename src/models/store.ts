import type { Id } from '../../schema/common.ts'
import type { ModelProvider, ModelProviderDraft } from '../../schema/models.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Offers } from './choose.ts'
import type { Keeps } from '../personal-data/contract.ts'

/**
 * Stores model providers that accounts configure themselves. Every method is one transaction; keys are stored sealed.
 */
export interface ModelProviderStore {
  /** The account's providers, oldest first. */
  list (owner: Id): Promise<ModelProvider[]>
  /** Adds one, as `decideProvider` says, and refuses what that refuses. */
  add (owner: Id, draft: ModelProviderDraft, once?: IdempotencyKey): Promise<IdempotentResult<ModelProvider>>
  /** Removes one, and its key irrecoverably. False when the account has no such provider. */
  remove (owner: Id, provider: Id): Promise<boolean>
  /** Also seals with agenthall.key the keys that versions before 0.5 stored; runs at each start. */
  reseal (): Promise<void>
  /** The providers in the form that models are chosen from. */
  offers (owner: Id): Promise<Offers['ofAccount']>
}

/** What is deleted with an agent, a user or an account. */
export const modelsKept: Keeps = {
  ways: ['model_providers.owner_id']
}
