import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { changeOf, closed, oneOf } from '../../../schema/common.ts'
import {
  TicketingProvider as Kept, type ProviderCredentials, type ProviderForm, type ProviderSettings
} from '../../../schema/tickets.ts'
import type { FieldTexts, ProviderDefinition } from './base/definition.ts'
import { PROVIDERS } from './list.ts'

/* API schemas of ticketing providers and the console's form fields, generated from the definitions. */

type Part = 'settings' | 'credentials'
type Named = Array<{ of: ProviderDefinition, field: TSchema & FieldTexts }>

/** Fields that several systems have: they come first, in this order. */
const SHARED = ['url', 'email', 'token', 'signing_secret']

/** A field's description in the API document, if that is not a list by system. */
const DESCRIBED: Record<string, (named: Named) => string> = {
  url: (named) => {
    const needing = named.filter(({ of }) => of.settings.required?.includes('url')).map(({ of }) => of.name)
    return `URL of the system, required for ${listed(needing)}; for GitHub Enterprise, the URL of its API`
  },
  signing_secret: () => 'webhook: key that signs our requests (whsec_…). All: key the system signs its webhooks with'
}

const listed = (names: string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Which systems have each field of a part. */
function fieldsOf (part: Part): Array<[name: string, named: Named]> {
  const fields = new Map<string, Named>()
  for (const of of PROVIDERS) {
    for (const [name, field] of Object.entries(of[part].properties)) {
      fields.set(name, [...(fields.get(name) ?? []), { of, field: field as Named[number]['field'] }])
    }
  }
  const place = (name: string) => (SHARED.includes(name) ? SHARED.indexOf(name) : SHARED.length)
  return [...fields].sort(([a], [b]) => place(a) - place(b))
}

/** "Zendesk and Jira: email address that the token belongs to". */
function described (named: Named): string {
  const same = Map.groupBy(named, ({ field }) => field.description)
  return [...same].map(([text, those]) => `${listed(those.map(({ of }) => of.called))}: ${text}`).join('. ')
}

/** The fields of all systems; the refusal of a missing one says which a kind needs. */
function everyField (part: Part, title: string): TObject {
  const fields = fieldsOf(part).map(([name, named]) => {
    const { minLength, maxLength, pattern, examples } = named[0]!.field as Named[number]['field'] & Record<string, never>
    return [name, Type.Optional(Type.String({
      ...(minLength !== undefined && { minLength }),
      maxLength,
      pattern,
      description: (DESCRIBED[name] ?? described)(named),
      ...(examples && { examples })
    }))]
  })
  return Type.Object(Object.fromEntries(fields), { ...closed, title })
}

const everySetting = everyField('settings', 'TicketingSettings')
const everyCredential = everyField('credentials', 'TicketingCredentials')
const Settings = Type.Unsafe<ProviderSettings>(everySetting)
const Credentials = Type.Unsafe<ProviderCredentials>(everyCredential)
const kind = oneOf(PROVIDERS.map(({ name }) => name))
const { name } = Kept.properties

/** A ticketing provider as responses show it, with all kinds and settings. */
export const TicketingProvider = Type.Object(
  { ...Kept.properties, kind, settings: Settings }, { title: 'TicketingProvider' }
)

/** The request to add a ticketing provider. */
export const TicketingProviderDraft = Type.Object(
  { name, kind, settings: Type.Optional(Settings), credentials: Type.Optional(Credentials) },
  {
    ...closed,
    title: 'TicketingProviderDraft',
    examples: [
      {
        name: 'Zendesk',
        kind: 'zendesk',
        settings: { url: 'https://example.zendesk.com' },
        credentials: { email: 'ada@example.com', token: 'example' }
      }
    ]
  }
)
export type TicketingProviderDraft = Static<typeof TicketingProviderDraft>

type Change<Fields> = { [Field in keyof Fields]?: Fields[Field] | null }

/** The request to change a ticketing provider; settings and credentials are patched field by field too. */
export const TicketingProviderPatch = Type.Object({
  name: Type.Optional(name),
  settings: Type.Optional(
    Type.Unsafe<Change<ProviderSettings>>(changeOf(everySetting, { title: 'TicketingSettingsPatch' }))
  ),
  credentials: Type.Optional(
    Type.Unsafe<Change<ProviderCredentials>>(changeOf(everyCredential, { title: 'TicketingCredentialsPatch' }))
  )
}, { ...closed, title: 'TicketingProviderPatch', minProperties: 1, examples: [{ credentials: { token: 'example' } }] })
export type TicketingProviderPatch = Static<typeof TicketingProviderPatch>

/** The console's form fields, by kind. */
export const PROVIDER_FORMS: ProviderForm[] = PROVIDERS.map((one) => ({
  name: one.name,
  label: one.label ?? one.called,
  settings: formOf(one.settings, 'text'),
  credentials: formOf(one.credentials, 'password')
}))

function formOf ({ properties }: TObject, usual: 'text' | 'password'): ProviderForm['settings'] {
  return Object.entries(properties).map(([name, field]) => {
    const { label, hint, maxLength, input = usual } = field as TSchema & FieldTexts & { maxLength: number }
    return { name, label, ...(hint && { hint }), maxLength, input }
  })
}
