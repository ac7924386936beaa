import { Type, type Static, type TObject } from '@sinclair/typebox'
import type { ProviderLabel } from '../../../../schema/tickets.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { TicketProvider } from './contract.ts'
import type { Api } from './http.ts'

/** Input for opening a system: settings and credentials are complete, as checked when they were written. */
export interface Opening<Settings extends TObject = TObject, Credentials extends TObject = TObject> {
  settings: Static<Settings>
  credentials: Static<Credentials>
  /** Its address: the one in the settings, else the one shared by all customers. */
  url: string
  /** Creates an Api for this address, with these headers. */
  connect: (headers: Record<string, string>) => Api
  clock: Clock
}

/**
 * A kind of system that tickets are opened in. This one value validates API requests, documents them and renders the
 * console's form; an optional field may be left out.
 */
export interface ProviderDefinition<Settings extends TObject = TObject, Credentials extends TObject = TObject> {
  /** The `kind` of a ticketing provider. */
  name: string
  /** Its name in the API document. */
  called: string
  /** Its name in the console; that of the API document if omitted. */
  label?: ProviderLabel
  /** The address shared by all customers; `url` in the settings is for a self-hosted installation. */
  url?: string
  settings: Settings
  credentials: Credentials
  open (opening: Opening<Settings, Credentials>): TicketProvider
}

/** Checks a definition's types: what `open` takes is what its schemas say. */
export const defineProvider = <Settings extends TObject, Credentials extends TObject>(
  definition: ProviderDefinition<Settings, Credentials>
) => definition

/** A field's texts for people, beyond the bounds of its value. */
export interface FieldTexts {
  /** What it is; the API document puts the name of the system before it. */
  description: string
  label: ProviderLabel
  hint?: ProviderLabel
  /** Its pattern beyond the bounds, and the end of the message if it does not match: "must …". */
  form?: { like: RegExp, must: string }
  examples?: string[]
  /** Its input type in a browser, if not a line of text, or a password among credentials. */
  input?: 'email'
}

/** The address of a system. */
export const address = (texts: FieldTexts) =>
  Type.String({ maxLength: 500, pattern: '^https?://[^\\s]+$', ...texts })

/** A setting of one line without spaces. */
export const setting = (texts: FieldTexts) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$', ...texts })

/** A credential, which is stored sealed and never shown again. */
export const secret = (texts: FieldTexts) =>
  Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$', ...texts })

/** The address of a system that each business has at its own. */
export const ADDRESS = address({
  description: 'its URL',
  examples: ['https://example.zendesk.com'],
  label: {
    en: 'Address of the system',
    de: 'Adresse des Systems',
    es: 'Dirección del sistema',
    fr: 'Adresse du système',
    pt: 'Endereço do sistema'
  }
})

/** Whom a token belongs to. */
export const TOKEN_OWNER = secret({
  description: 'email address that the token belongs to',
  input: 'email',
  label: {
    en: 'E-mail address that the token belongs to',
    de: 'E-Mail-Adresse, zu der das Token gehört',
    es: 'Correo electrónico del titular del token',
    fr: 'Adresse e-mail du titulaire du jeton',
    pt: 'E-mail do titular do token'
  }
})

/** What signs in to a system. */
export const TOKEN = secret({
  description: 'the API token',
  label: { en: 'API token', de: 'API-Token', es: 'Token de API', fr: 'Jeton d’API', pt: 'Token de API' }
})

/** The name of every webhook signing secret. */
export const SIGNING_LABEL = {
  en: 'Signing secret',
  de: 'Signaturgeheimnis',
  es: 'Secreto de firma',
  fr: 'Secret de signature',
  pt: 'Segredo de assinatura'
}

/** The secret a system signs its webhooks with; without it their address is the proof. */
export const SIGNING_SECRET = secret({ description: 'key that the system signs its webhooks with', label: SIGNING_LABEL })
