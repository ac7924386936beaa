import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf } from './common.ts'

/** How somebody acted: with an API key, in a console session, or on the server's command line. */
export const ActorKind = oneOf(['key', 'session', 'command_line'], { title: 'ActorKind' })
export type ActorKind = Static<typeof ActorKind>

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** One event of an account's audit log, as stored. */
export const AuditRecord = Type.Object({
  id: Id,
  /** The account. */
  owner: Id,
  at: Timestamp,
  /** Who acted; null for the command line. */
  user: nullable(Id),
  by: ActorKind,
  /** The API key, if one was used. */
  key: nullable(Id),
  action: Type.String({
    description: '`operationId` of the operation in this document', examples: ['updateAgent']
  }),
  target: Type.String({ description: 'Path of the affected object', examples: ['agents/3'] }),
  fields: Type.Array(Type.String(), { description: 'Names of the fields sent; never their values' }),
  previous: Type.String({
    ...Digest, description: "SHA-256 of the account's previous event; 64 zeros for the first"
  }),
  hash: Type.String({ ...Digest, description: 'SHA-256 of this event and `previous`' })
})
export type AuditRecord = Static<typeof AuditRecord>

/** One event as responses show it. */
export const AuditEvent = Type.Object({
  ...Type.Omit(AuditRecord, ['owner', 'user']).properties,
  user: nullable(Type.Object({ id: Id, name: nullable(Type.String()) }), {
    description: 'Who acted, with their current name; null for the server\'s command line'
  })
}, { title: 'AuditEvent' })
export type AuditEvent = Static<typeof AuditEvent>

/** The first event of an audit log that is not as it was written: it was changed, or events before it are missing. */
export const AuditFault = Type.Object({
  event: Id,
  at: Type.String({ description: 'Time of that event, as it is stored now' }),
  kind: oneOf(['changed', 'missing'], { description: '`missing`: events before it were removed' })
}, { title: 'AuditFault' })
export type AuditFault = Static<typeof AuditFault>

/** Whether an account's audit log is as it was written. */
export const AuditReport = Type.Object({
  events: Type.Integer({ description: 'Number of events' }),
  first: nullable(Id, { description: 'Id of the oldest one; null if there are none' }),
  head: nullable(Digest, { description: 'Hash of the newest one, to compare with later' }),
  fault: nullable(AuditFault, { description: 'The first inconsistency; null if there is none' }),
  verified_at: Timestamp
}, { title: 'AuditReport' })
export type AuditReport = Static<typeof AuditReport>
