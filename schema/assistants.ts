import { Type, type Static } from '@sinclair/typebox'
import { Permission, Permissions } from './access.ts'
import { Id, Timestamp, closed, nullable } from './common.ts'

/*
 * Assistants that people let in by OAuth, where they cannot be given a key by hand.
 */

/** That somebody has let an assistant in, as it is kept: of codes and tokens there are only digests. */
export const GrantRecord = Type.Object({
  id: Id,
  user: Id,
  /** The account that the assistant acts for. */
  account: Id,
  /** The address that says who it is, its `client_id`. */
  client: Type.String(),
  /** What it calls itself. */
  name: Type.String(),
  redirect_uri: Type.String(),
  permissions: Permissions,
  /** What the secret has to come to that whoever began this has kept (PKCE, S256). */
  challenge: Type.String(),
  code_digest: Type.String(),
  code_until: Timestamp,
  /** The key that it was exchanged for, of which the token is made anew; null until then. */
  key: nullable(Id),
  /** What all tokens that it is refreshed with have in common, and what the last of them has alone. */
  family_digest: nullable(Type.String()),
  refresh_digest: nullable(Type.String()),
  /** When it is over, however often it was refreshed. */
  expires_at: Timestamp,
  created_at: Timestamp
})
export type GrantRecord = Static<typeof GrantRecord>

const query = Type.String({
  minLength: 1,
  maxLength: 8000,
  description: 'What stands after the `?` of the address that the assistant led to',
  examples: ['response_type=code&client_id=https%3A%2F%2Fassistant.example%2Fclient.json&code_challenge=…']
})

/** What looking at an assistant takes. */
export const AssistantQuestion = Type.Object({ query }, { ...closed, title: 'AssistantQuestion' })

/** What letting an assistant in takes. */
export const AssistantConsent = Type.Object({
  query,
  permissions: Permissions,
  days: Type.Optional(Type.Integer({
    minimum: 1, maximum: 90, default: 30, description: 'After so many days it has to be let in anew'
  }))
}, { ...closed, title: 'AssistantConsent' })
export type AssistantConsent = Static<typeof AssistantConsent>

/** An assistant that asks to be let in. */
export const AskingAssistant = Type.Object({
  name: Type.String({ description: 'What it calls itself; nobody has checked that' }),
  client: Type.String({ description: 'The address that says who it is' }),
  host: Type.String({ description: 'Whose that address is', examples: ['assistant.example'] }),
  returns_to: nullable(Type.String({ description: 'The host that it is told at; null: a program on the same computer' })),
  asked: Type.Array(Permission, { description: 'What it asks to be allowed, of what there is to allow' }),
  offered: Type.Array(Permission, { description: 'What whoever asks can allow it' }),
  problem: nullable(Type.String({ description: 'Why it cannot be let in' })),
  refuse_at: Type.String({ description: 'Where it is told that it was not let in' })
}, { title: 'AskingAssistant' })
export type AskingAssistant = Static<typeof AskingAssistant>

/** That an assistant was let in. */
export const AllowedAssistant = Type.Object({
  id: Id,
  redirect_to: Type.String({ description: 'Where the browser goes on to, with a code that is good for one minute, once' })
}, { title: 'AllowedAssistant' })
export type AllowedAssistant = Static<typeof AllowedAssistant>
