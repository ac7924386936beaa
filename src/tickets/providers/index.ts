import type { TicketingKind } from '../../../schema/tickets.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Egress } from '../../platform/net/egress.ts'
import type { OpenProvider } from '../store.ts'
import type { TicketProvider } from './contract.ts'
import { freshdesk } from './freshdesk.ts'
import { github } from './github.ts'
import { hubspot } from './hubspot.ts'
import { apiAt, basic } from './http.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { webhook } from './webhook.ts'
import { zendesk } from './zendesk.ts'

/**
 * Where those are that have one address for everybody. `url` in the settings is another one, for installations of one's
 * own.
 */
const ADDRESSES: Partial<Record<TicketingKind, string>> = {
  github: 'https://api.github.com',
  linear: 'https://api.linear.app',
  hubspot: 'https://api.hubapi.com'
}

/** Where a provider is asked. */
export function addressOfProvider ({ kind, settings }: Pick<OpenProvider, 'kind' | 'settings'>): string {
  return settings.url ?? ADDRESSES[kind] ?? ''
}

/** What speaks to a provider. Its settings and credentials are whole: that was checked when they were written. */
export function ticketProvider (
  { kind, settings, credentials }: Pick<OpenProvider, 'kind' | 'settings' | 'credentials'>,
  out: Pick<Egress, 'fetch'>,
  clock: Clock
): TicketProvider {
  const url = addressOfProvider({ kind, settings })
  const { email = '', token = '', signing_secret: secret } = credentials
  const api = (authorization: string, more: Record<string, string> = {}) => apiAt(out, url, { authorization, ...more })
  switch (kind) {
    case 'webhook':
      return webhook(apiAt(out, url, {}), secret ?? '', clock)
    case 'zendesk':
      return zendesk(api(basic(`${email}/token`, token)), url, secret)
    case 'freshdesk':
      return freshdesk(api(basic(token, 'X')), url)
    case 'jira':
      return jira(api(basic(email, token)), settings, secret)
    case 'github':
      return github(
        api(`Bearer ${token}`, { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }),
        settings.repository ?? '',
        secret
      )
    case 'linear':
      return linear(api(token), settings.team ?? '', secret)
    case 'hubspot':
      return hubspot(api(`Bearer ${token}`), settings, secret)
  }
}
