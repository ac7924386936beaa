import { Type, type Static, type TObject } from '@sinclair/typebox'
import type { ProviderLabel } from '../../../../schema/tickets.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { TicketProvider } from './contract.ts'
import type { Api } from './http.ts'

/** What a system is opened with: its settings and credentials are whole, that was checked when they were written. */
export interface Opening<Settings extends TObject = TObject, Credentials extends TObject = TObject> {
  settings: Static<Settings>
  credentials: Static<Credentials>
  /** Its address: the one in the settings, else the one that it has for everybody. */
  url: string
  /** Asks at this address, with these headers. */
  connect: (headers: Record<string, string>) => Api
  clock: Clock
}

/**
 * A kind of system that tickets are opened in. This one value validates what is sent to the interface, documents it and
 * draws the console's form; an optional field may be left out.
 */
export interface ProviderDefinition<Settings extends TObject = TObject, Credentials extends TObject = TObject> {
  /** The `kind` of a ticketing provider. */
  name: string
  /** What the document of the interface calls it. */
  called: string
  /** What people choose in the console; as the document calls it where this is left out. */
  label?: ProviderLabel
  /** The address that it has for everybody; `url` in the settings is one for an installation of one's own. */
  url?: string
  settings: Settings
  credentials: Credentials
  open (opening: Opening<Settings, Credentials>): TicketProvider
}

/** Checks a definition's types: what `open` takes is what its schemas say. */
export const defineProvider = <Settings extends TObject, Credentials extends TObject>(
  definition: ProviderDefinition<Settings, Credentials>
) => definition

/** What a field says to people, beyond the bounds of its value. */
export interface FieldTexts {
  /** What it is; the document of the interface puts the name of the system before it. */
  description: string
  label: ProviderLabel
  hint?: ProviderLabel
  /** What it has to look like beyond the bounds, and the end of what is said where it does not: "must …". */
  form?: { like: RegExp, must: string }
  examples?: string[]
  /** How a browser asks for it, where that is not as a line of text, or as a password among credentials. */
  input?: 'email'
}

/** The address of a system. */
export const address = (texts: FieldTexts) =>
  Type.String({ maxLength: 500, pattern: '^https?://[^\\s]+$', ...texts })

/** A setting of one line without spaces. */
export const setting = (texts: FieldTexts) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$', ...texts })

/** A credential, which is kept sealed and never shown again. */
export const secret = (texts: FieldTexts) =>
  Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$', ...texts })

/** Where a system is that each business has at an address of its own. */
export const ADDRESS = address({
  description: 'its address',
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
  description: 'whose token it is',
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

/** What every secret that webhooks are signed with is called. */
export const SIGNING_LABEL = {
  en: 'Signing secret',
  de: 'Signaturgeheimnis',
  es: 'Secreto de firma',
  fr: 'Secret de signature',
  pt: 'Segredo de assinatura'
}

/** What a system signs its webhooks with; without it their address is the proof. */
export const SIGNING_SECRET = secret({ description: 'what they sign their webhooks with', label: SIGNING_LABEL })
