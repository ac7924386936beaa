import { Type, type Static } from '@sinclair/typebox'
import { Permission, Permissions } from './access.ts'
import { Id, Timestamp, closed, nullable } from './common.ts'

/*
 * Assistants authorised by OAuth, where they cannot be given a key by hand.
 */

/** An assistant's authorisation, as stored: only digests of codes and tokens. */
export const GrantRecord = Type.Object({
  id: Id,
  user: Id,
  /** The account that the assistant acts for. */
  account: Id,
  /** The address that identifies it, its `client_id`. */
  client: Type.String(),
  /** The name that it gives itself. */
  name: Type.String(),
  redirect_uri: Type.String(),
  permissions: Permissions,
  /** The PKCE challenge (S256) that the verifier has to match. */
  challenge: Type.String(),
  code_digest: Type.String(),
  code_until: Timestamp,
  /** The key that the code was exchanged for, whose token is refreshed; null until then. */
  key: nullable(Id),
  /** Digests of what all its refresh tokens share, and of what is unique to the latest. */
  family_digest: nullable(Type.String()),
  refresh_digest: nullable(Type.String()),
  /** When it expires, however often it was refreshed. */
  expires_at: Timestamp,
  created_at: Timestamp
})
export type GrantRecord = Static<typeof GrantRecord>

const query = Type.String({
  minLength: 1,
  maxLength: 8000,
  description: 'What follows the `?` in the URL that the assistant sent the user to',
  examples: ['response_type=code&client_id=https%3A%2F%2Fassistant.example%2Fclient.json&code_challenge=…']
})

/** Request to look at an authorisation request. */
export const AssistantQuestion = Type.Object({ query }, { ...closed, title: 'AssistantQuestion' })

/** Request to authorise an assistant. */
export const AssistantConsent = Type.Object({
  query,
  permissions: Permissions,
  days: Type.Optional(Type.Integer({
    minimum: 1, maximum: 90, default: 30, description: 'Days after which it must be authorised again'
  }))
}, { ...closed, title: 'AssistantConsent' })
export type AssistantConsent = Static<typeof AssistantConsent>

/** An assistant that asks for authorisation. */
export const AskingAssistant = Type.Object({
  name: Type.String({ description: 'Name it gives itself; not verified' }),
  client: Type.String({ description: 'URL that identifies it' }),
  host: Type.String({ description: 'Host of that URL', examples: ['assistant.example'] }),
  returns_to: nullable(Type.String({ description: 'Host that the result is sent to; null: a program on the same computer' })),
  asked: Type.Array(Permission, { description: 'Permissions it requests, limited to those in `offered`' }),
  offered: Type.Array(Permission, { description: 'Permissions that the caller can grant it' }),
  problem: nullable(Type.String({ description: 'Why it cannot be authorised; null if it can' })),
  refuse_at: Type.String({ description: 'URL to open in order to refuse it' })
}, { title: 'AskingAssistant' })
export type AskingAssistant = Static<typeof AskingAssistant>

/** The result of authorising an assistant. */
export const AllowedAssistant = Type.Object({
  id: Id,
  redirect_to: Type.String({ description: 'URL to redirect the browser to, with a single-use code that is valid for one minute' })
}, { title: 'AllowedAssistant' })
export type AllowedAssistant = Static<typeof AllowedAssistant>
