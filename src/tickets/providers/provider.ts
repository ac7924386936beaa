import type { TObject } from '@sinclair/typebox'
import type { ProviderCredentials, ProviderSettings } from '../../../schema/tickets.ts'
import type { Clock } from '../../platform/clock.ts'
import { Refusal, invalid, type FieldError } from '../../platform/errors.ts'
import type { Egress } from '../../platform/net/egress.ts'
import type { OpenProvider } from '../store.ts'
import type { TicketProvider } from './base/contract.ts'
import type { FieldTexts, ProviderDefinition } from './base/definition.ts'
import { apiAt } from './base/http.ts'
import { PROVIDERS } from './list.ts'

/** Ticketing providers that an account may have. */
const MAX_PROVIDERS = 20

/** Says why something cannot be sent to an address. */
export type CheckAddress = (what: string, address: string) => string | undefined

function definitionOf (kind: string): ProviderDefinition {
  const found = PROVIDERS.find(({ name }) => name === kind)
  if (!found) throw new Error(`There is no kind of ticketing provider called ${kind}`)
  return found
}

/** The address of a provider's API. */
export function addressOfProvider ({ kind, settings }: Pick<OpenProvider, 'kind' | 'settings'>): string {
  return settings.url ?? definitionOf(kind).url ?? ''
}

/** A provider's client. Its settings and credentials are complete, as checked when they were written. */
export function ticketProvider (
  { kind, settings, credentials }: Pick<OpenProvider, 'kind' | 'settings' | 'credentials'>,
  out: Pick<Egress, 'fetch'>,
  clock: Clock
): TicketProvider {
  const url = addressOfProvider({ kind, settings })
  return definitionOf(kind).open({
    settings, credentials, url, connect: (headers) => apiAt(out, url, headers), clock
  })
}

/**
 * Refuses, with VALIDATION_ERROR, missing fields that this kind requires, and a private address; with `limit_reached`
 * one too many.
 */
export function checkProvider (
  kind: string,
  settings: ProviderSettings,
  credentials: ProviderCredentials | undefined,
  others: number,
  check: CheckAddress
) {
  if (others >= MAX_PROVIDERS) {
    throw new Refusal(
      'limit_reached', `An account may have ${MAX_PROVIDERS} ticketing providers. Remove one that is not needed.`
    )
  }
  const definition = definitionOf(kind)
  const unsafe = settings.url === undefined ? undefined : check('settings.url', settings.url)
  const faults = [
    ...missing(kind, 'settings', definition.settings, settings),
    ...(credentials ? missing(kind, 'credentials', definition.credentials, credentials) : []),
    ...misshapen('settings', [...PROVIDERS.map((one) => one.settings), definition.settings], settings),
    ...(unsafe === undefined ? [] : [{ field: 'settings.url', message: unsafe }]),
    ...(credentials ? misshapen('credentials', [definition.credentials], credentials) : [])
  ]
  if (faults.length) throw invalid(...faults)
}

/** Required fields that are missing. */
function missing (kind: string, where: string, { required = [] }: TObject, values: ProviderSettings): FieldError[] {
  return required.filter((name) => values[name] === undefined).map((name) => ({
    field: `${where}.${name}`, message: `${where}.${name} is required for ${kind}.`
  }))
}

/** Values that do not match their field's pattern; of several fields with one name the last counts. */
function misshapen (where: string, schemas: readonly TObject[], values: ProviderSettings): FieldError[] {
  const fields: Record<string, Partial<FieldTexts>> = Object.assign({}, ...schemas.map(({ properties }) => properties))
  return Object.entries(fields).flatMap(([name, { form }]) => {
    const value = values[name]
    if (form === undefined || value === undefined || form.like.test(value)) return []
    return [{ field: `${where}.${name}`, message: `${where}.${name} must ${form.must}.` }]
  })
}
