import type { DataHost, Purpose } from '../../schema/business.ts'
import type { Sent } from '../personal-data/contract.ts'

/** What is sent for each purpose, in words for a business that has to tell its visitors. */
const SENT: Record<Purpose, string> = {
  answers: 'What visitors write, and what was said before, so that a language model answers it',
  search: 'What visitors ask, so that it can be compared with the sources by meaning',
  mail: 'Conversations of tickets, names and e-mail addresses; questions that agents could not answer, masked',
  tickets: 'Conversations of tickets, names and e-mail addresses',
  webhooks: 'What the events that were chosen are about',
  actions: 'What an action is done with: arguments that a visitor gave, and who the visitor is',
  team_chat: 'That something happened, with a link to it',
  push: 'That a person of the team is called and when, sealed for their browser: whom for, the service cannot read'
}

/** Every host once, by name, with everything that it gets. */
export function dataHosts (sent: readonly Sent[]): DataHost[] {
  const byHost = Map.groupBy(sent, ({ url }) => new URL(url).hostname)
  return [...byHost].sort(([a], [b]) => a < b ? -1 : 1).map(([host, found]) => {
    const purposes = [...new Set(found.map(({ purpose }) => purpose))]
    return { host, purposes, data: [...new Set(purposes.map((purpose) => SENT[purpose]))] }
  })
}
