import type { Id } from '../../../schema/common.ts'
import type { Caller } from '../../access/index.ts'
import type { Author } from '../draft.ts'

/** `ticketingProviders`: the names of an account's. */
export interface AuthorNeeds { ticketingProviders: (owner: Id) => Promise<readonly string[]> }

/** Tells who changes an agent; what there is to be named is read where something is. */
export function authorsBy ({ ticketingProviders }: AuthorNeeds) {
  return async ({ account, permissions }: Caller, named: readonly string[] = []): Promise<Author> => {
    const ticketing = named.length > 0 ? await ticketingProviders(account.id) : []
    return { tier: account.tier, permissions, ticketing }
  }
}
