import { Type, type Static } from '@sinclair/typebox'
import { AgentSettings } from './agents.ts'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** The state of a version. */
export const VersionState = oneOf(['live', 'previous', 'draft'], {
  description:
    '`live`: answers visitors now; `previous`: did so before; `draft`: a draft that was replaced by a restored version, kept for 30 days'
})
export type VersionState = Static<typeof VersionState>

/** What an agent knew when a version was published. Its texts are not stored: deleted sources stay deleted. */
export const KnownThen = Type.Object({
  revision: Type.Integer({ minimum: 0, description: 'Changes with every change to the sources' }),
  sources: Type.Array(Id, { description: 'Ids of the selected sources' }),
  digest: Type.String({ description: 'Changes whenever the content learnt from the sources changes' })
}, { title: 'KnownThen' })
export type KnownThen = Static<typeof KnownThen>

const number = Type.Integer({ minimum: 1, description: 'Version number, counted per agent; `agent_version` in messages' })
const note = text(2000, { description: 'What changed, and why', examples: ['Shorter answers about returns'] })

/** A version as stored, without what is sealed. */
export const VersionRecord = Type.Object({
  id: Id,
  agent: Id,
  number,
  copy_of: nullable(Type.Integer({ minimum: 1 }), { description: 'The version it republishes; null if none' }),
  known_as: nullable(Type.Integer()),
  published_by: nullable(Id),
  published_at: Timestamp,
  expires_at: nullable(Timestamp, { description: 'When a replaced draft is deleted; null: kept as long as its agent' })
})
export type VersionRecord = Static<typeof VersionRecord>

/** The sealed part of a version. */
export interface SealedVersion {
  settings: Partial<AgentSettings>
  note: string
  reason: string | null
  knowledge: KnownThen
}

/** A version in a list. */
export const VersionSummary = Type.Object({
  number,
  state: VersionState,
  note,
  copy_of: VersionRecord.properties.copy_of,
  published_by: nullable(Type.Object({ id: Id, name: nullable(Type.String()) }), {
    description: 'Who published it, with their current name; null: the server, during an upgrade or from its command line'
  }),
  published_at: VersionRecord.properties.published_at,
  expires_at: VersionRecord.properties.expires_at,
  force_reason: nullable(Type.String(), {
    description: 'Why it was published although test questions failed; null if none failed'
  })
}, { title: 'VersionSummary' })
export type VersionSummary = Static<typeof VersionSummary>

/** A version with all its contents. */
export const Version = Type.Object({
  ...VersionSummary.properties,
  settings: AgentSettings,
  knowledge: KnownThen,
  gone_sources: Type.Array(Id, { description: 'Ids of sources in this version that have since been deleted' })
}, { title: 'Version' })
export type Version = Static<typeof Version>

/** A line of a text in a diff. */
export const DiffLine = Type.Object({
  is: oneOf(['same', 'removed', 'added']), text: Type.String()
}, { title: 'DiffLine' })
export type DiffLine = Static<typeof DiffLine>

/** One field in which two sets of settings differ. */
export const FieldChange = Type.Object({
  field: Type.String({ examples: ['behavior.suggestions'] }),
  from: Type.Optional(Type.Unknown({ description: 'Previous value; absent if the field was not set' })),
  to: Type.Optional(Type.Unknown({ description: 'New value; absent if the field was removed' })),
  lines: Type.Optional(Type.Array(DiffLine, { description: 'Line-by-line changes, for multi-line texts' }))
}, { title: 'FieldChange' })
export type FieldChange = Static<typeof FieldChange>

/** The differences between two states of an agent. */
export const VersionDiff = Type.Object({
  from: Type.String({ examples: ['3'] }),
  to: Type.String({ examples: ['draft'] }),
  changes: Type.Array(FieldChange)
}, { title: 'VersionDiff' })
export type VersionDiff = Static<typeof VersionDiff>

/** Request to publish. */
export const Publishing = Type.Object({
  note: Type.Optional(note),
  if_draft: Type.Optional(text(100, {
    description: 'The `draft_etag` of the agent you retrieved; refused if the draft has changed since', examples: ['1-k']
  })),
  force: Type.Optional(Type.Boolean({ description: 'Publishes even if test questions fail; requires `reason`' })),
  reason: Type.Optional(text(2000, { description: 'Why it is published anyway; stored with the version' }))
}, { ...closed, title: 'Publishing', examples: [{ note: 'Shorter answers about returns' }] })
export type Publishing = Static<typeof Publishing>
