import type { AgentPatch } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Caller } from '../../access/index.ts'
import type { Author } from '../draft.ts'

/**
 * `ticketingProviders`: the names of an account's; `actionIds`: the ids of its actions; `said`: what was said lately
 * with an agent.
 */
export interface AuthorNeeds {
  ticketingProviders: (owner: Id) => Promise<readonly string[]>
  actionIds: (owner: Id) => Promise<readonly Id[]>
  said: (owner: Id, agent: Id) => ReturnType<NonNullable<Author['said']>>
}

/** Tells who changes an agent; what there is to be named is read where something is, or may be: `anything`. */
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
