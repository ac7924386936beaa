import type { AgentStore } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { openTrial, type LanguageModels, type Trial } from '../../models/index.ts'
import { allowancesIn, isSpent, type Ledger } from './ledger.ts'

/** Agents for which the model they ask for is shown. */
const MOST_ASKING = 100
/** What trying out a model is recorded as in the ledger. */
const NO_AGENT = 0

/** Trying the models that would answer; its usage counts in the ledger like that of any answer. */
export function modelTrial (kernel: Kernel, { language, agents, ledger }: {
  language: LanguageModels, agents: Pick<AgentStore, 'active'>, ledger: Ledger
}): Trial {
  const allowanceOf = allowancesIn(kernel)
  return openTrial({
    models: language.models,
    installation: language.offers,
    ofAccount: language.providers.offers,
    usedBy: async (owner) => [
      ...new Set((await agents.active(owner, MOST_ASKING)).map(({ model }) => model.response_model))
    ],
    hasPremium: async (owner) => (await allowanceOf(owner)).hasPremium,
    isSpent: async (owner) => isSpent(
      await ledger.today(owner, NO_AGENT), { ...(await allowanceOf(owner)).daily, agent: 0 }
    ),
    note: async (owner, { model, provider, usage, firstMs, totalMs, isComplete }) =>
      await ledger.note(owner, {
        agent: NO_AGENT,
        model,
        provider,
        outcome: isComplete ? 'complete' : 'failed',
        ...usage,
        first_ms: firstMs,
        total_ms: totalMs
      }),
    now: () => kernel.clock.monotonic()
  })
}
