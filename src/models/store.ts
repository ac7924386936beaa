import type { Id } from '../../schema/common.ts'
import type { ModelProvider, ModelProviderDraft } from '../../schema/models.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { Offers } from './choose.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Where the providers rest that accounts bring themselves. Every method is one transaction; keys are kept sealed. */
export interface ModelProviderStore {
  /** The account's providers, oldest first. */
  list (owner: Id): Promise<ModelProvider[]>
  /** Adds one, as `decideProvider` says, and refuses what that refuses. */
  add (owner: Id, draft: ModelProviderDraft, once?: Once): Promise<Outcome<ModelProvider>>
  /** Removes one, its key for good. False when the account has no such provider. */
  remove (owner: Id, provider: Id): Promise<boolean>
  /** Seals keys that versions before 0.5 kept with agenthall.key too; done at each start. */
  reseal (): Promise<void>
  /** They as models are chosen from. */
  offers (owner: Id): Promise<Offers['own']>
}

/** What goes with an agent, a user or an account. */
export const modelsKept: Keeps = {
  ways: ['model_providers.owner_id']
}
