import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf } from './common.ts'

/** With what somebody acted: an API key, a session in the console, or the command line of the server. */
export const ActorKind = oneOf(['key', 'session', 'command_line'], { title: 'ActorKind' })
export type ActorKind = Static<typeof ActorKind>

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** One event of an account's audit log, as it is kept. */
export const AuditRecord = Type.Object({
  id: Id,
  /** The account. */
  owner: Id,
  at: Timestamp,
  /** Who acted; null on the command line. */
  user: nullable(Id),
  by: ActorKind,
  /** The API key, where one was used. */
  key: nullable(Id),
  action: Type.String({
    description: 'The operation, by its operationId in this document', examples: ['updateAgent']
  }),
  target: Type.String({ description: 'What it was done to, as a path', examples: ['agents/3'] }),
  fields: Type.Array(Type.String(), { description: 'The fields that were sent, by name; never what was in them' }),
  previous: Type.String({
    ...Digest, description: "SHA-256 of the account's event before this one; of nothing for the first"
  }),
  hash: Type.String({ ...Digest, description: 'SHA-256 of this event and `previous`' })
})
export type AuditRecord = Static<typeof AuditRecord>

/** One event as answers show it. */
export const AuditEvent = Type.Object({
  ...Type.Omit(AuditRecord, ['owner', 'user']).properties,
  user: nullable(Type.Object({ id: Id, name: nullable(Type.String()) }), {
    description: 'Who acted, with their present name; null on the command line of the server'
  })
}, { title: 'AuditEvent' })
export type AuditEvent = Static<typeof AuditEvent>
