import type { AgentPatch } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Caller } from '../../access/index.ts'
import type { Author } from '../draft.ts'

/**
 * `ticketingProviders`: names of an account's; `actionIds`: ids of its actions; `said`: recent messages with an agent.
 */
export interface AuthorNeeds {
  ticketingProviders: (owner: Id) => Promise<readonly string[]>
  actionIds: (owner: Id) => Promise<readonly Id[]>
  said: (owner: Id, agent: Id) => ReturnType<NonNullable<Author['said']>>
}

/** Builds the author of a change; providers and actions are read only if any may be named: `anything`. */
export function authorsBy ({ ticketingProviders, actionIds, said }: AuthorNeeds) {
  return async (
    { account, permissions }: Caller, named: Pick<AgentPatch, 'ticketing_providers' | 'behavior'> | 'anything'
  ): Promise<Author> => {
    const is = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0
    const isAny = named === 'anything'
    const ticketing = isAny || is(named.ticketing_providers) ? await ticketingProviders(account.id) : []
    const actions = isAny || is(named.behavior?.actionIds) ? await actionIds(account.id) : []
    return { tier: account.tier, permissions, ticketing, actions, said: (agent) => said(account.id, agent) }
  }
}
