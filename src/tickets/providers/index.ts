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

/** Where those are that have one address for everybody. `url` in the settings is another one, for installations of one's own. */
const GITHUB = 'https://api.github.com'
const LINEAR = 'https://api.linear.app'
const HUBSPOT = 'https://api.hubapi.com'

/** What speaks to a provider. Its settings and credentials are whole: that was checked when they were written. */
export function ticketProvider ({ kind, settings, credentials }: Pick<OpenProvider, 'kind' | 'settings' | 'credentials'>, out: Pick<Egress, 'fetch'>, clock: Clock): TicketProvider {
  const { url = '' } = settings
  const { email = '', token = '', signing_secret: secret } = credentials
  const api = (base: string, authorization: string, more: Record<string, string> = {}) => apiAt(out, base, { authorization, ...more })
  switch (kind) {
    case 'webhook': return webhook(apiAt(out, url, {}), secret ?? '', clock)
    case 'zendesk': return zendesk(api(url, basic(`${email}/token`, token)), url, secret)
    case 'freshdesk': return freshdesk(api(url, basic(token, 'X')), url)
    case 'jira': return jira(api(url, basic(email, token)), settings, secret)
    case 'github': return github(api(url || GITHUB, `Bearer ${token}`, { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }), settings.repository ?? '', secret)
    case 'linear': return linear(api(url || LINEAR, token), settings.team ?? '', secret)
    case 'hubspot': return hubspot(api(url || HUBSPOT, `Bearer ${token}`), settings, secret)
  }
}
