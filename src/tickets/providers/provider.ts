import type { ProviderCredentials, ProviderSettings, TicketingKind } from '../../../schema/tickets.ts'
import { Refusal, invalid, type FieldError } from '../../platform/errors.ts'

/** Ticketing providers that an account may have. */
export const MOST_PROVIDERS = 20

/** Says why something cannot be sent to an address. */
export type CheckAddress = (what: string, address: string) => string | undefined

/** What each kind cannot do without. */
const NEEDED: Record<
  TicketingKind,
  { settings: Array<keyof ProviderSettings>, credentials: Array<keyof ProviderCredentials> }
> = {
  webhook: { settings: ['url'], credentials: ['signing_secret'] },
  zendesk: { settings: ['url'], credentials: ['email', 'token'] },
  freshdesk: { settings: ['url'], credentials: ['token'] },
  jira: { settings: ['url', 'service_desk', 'request_type'], credentials: ['email', 'token'] },
  github: { settings: ['repository'], credentials: ['token'] },
  linear: { settings: ['team'], credentials: ['token'] },
  hubspot: { settings: [], credentials: ['token'] }
}
const FORMS: Array<[keyof ProviderSettings, RegExp, string]> = [
  ['repository', /^[\w.-]+\/[\w.-]+$/, 'settings.repository must be owner/name.'],
  ['service_desk', /^[\w-]+$/, 'settings.service_desk must be the number of a service desk.'],
  ['request_type', /^[\w-]+$/, 'settings.request_type must be the number of a request type.']
]

/**
 * Refuses, with VALIDATION_ERROR, what a provider of this kind cannot do without, and a private address; with
 * `limit_reached` one too many.
 */
export function checkProvider (
  kind: TicketingKind,
  settings: ProviderSettings,
  credentials: ProviderCredentials | undefined,
  others: number,
  check: CheckAddress
) {
  if (others >= MOST_PROVIDERS) {
    throw new Refusal(
      'limit_reached', `An account may have ${MOST_PROVIDERS} ticketing providers. Remove one that is not needed.`
    )
  }
  const { settings: needed, credentials: secrets } = NEEDED[kind]
  const missing = (where: string, name: string): FieldError => ({
    field: `${where}.${name}`, message: `${where}.${name} is required for ${kind}.`
  })
  const faults = [
    ...needed.filter((name) => settings[name] === undefined).map((name) => missing('settings', name)),
    ...(credentials === undefined
      ? []
      : secrets.filter((name) => credentials[name] === undefined).map((name) => missing('credentials', name))),
    ...FORMS.filter(([name, form]) => settings[name] !== undefined && !form.test(settings[name])).map(
      ([name, , message]) => ({ field: `settings.${name}`, message })
    ),
    ...[settings.url === undefined ? undefined : check('settings.url', settings.url)]
      .filter((fault) => fault !== undefined)
      .map((message) => ({ field: 'settings.url', message }))
  ]
  if (
    kind === 'webhook' &&
    credentials?.signing_secret &&
    !/^whsec_[\w+/]{16,}={0,2}$/.test(credentials.signing_secret)
  ) {
    faults.push({
      field: 'credentials.signing_secret',
      message: 'credentials.signing_secret must be whsec_ and at least 12 bytes in base64.'
    })
  }
  if (faults.length) throw invalid(...faults)
}
