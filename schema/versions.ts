import { Type, type Static } from '@sinclair/typebox'
import { AgentSettings } from './agents.ts'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** What became of a version. */
export const VersionState = oneOf(['live', 'previous', 'draft'], {
  description:
    '`live`: visitors are answered with it; `previous`: they were; `draft`: a draft that a restored version has replaced, kept for 30 days'
})
export type VersionState = Static<typeof VersionState>

/** What an agent knew when a version was published. Its texts are not kept: what is deleted is gone. */
export const KnownThen = Type.Object({
  revision: Type.Integer({ minimum: 0, description: 'Moves with everything that happens to the sources' }),
  sources: Type.Array(Id, { description: 'The ids of the sources that were selected' }),
  digest: Type.String({ description: 'Another one as soon as what is learnt from the sources is another' })
}, { title: 'KnownThen' })
export type KnownThen = Static<typeof KnownThen>

const number = Type.Integer({ minimum: 1, description: 'Counts the versions of the agent; `agent_version` of messages' })
const note = text(2000, { description: 'What was changed, and why', examples: ['Shorter answers about returns'] })

/** A version as the system keeps it, but for what is sealed. */
export const VersionRecord = Type.Object({
  id: Id,
  agent: Id,
  number,
  copy_of: nullable(Type.Integer({ minimum: 1 }), { description: 'The version that was published again' }),
  known_as: nullable(Type.Integer()),
  published_by: nullable(Id),
  published_at: Timestamp,
  expires_at: nullable(Timestamp, { description: 'When a replaced draft goes; null: it stays as long as its agent' })
})
export type VersionRecord = Static<typeof VersionRecord>

/** What of a version is sealed. */
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
    description: 'Who published it, with their present name; null: the server, when it was upgraded or at its command line'
  }),
  published_at: VersionRecord.properties.published_at,
  expires_at: VersionRecord.properties.expires_at,
  force_reason: nullable(Type.String(), {
    description: 'Why it was published although test questions failed; null where none did'
  })
}, { title: 'VersionSummary' })
export type VersionSummary = Static<typeof VersionSummary>

/** A version with all that it holds. */
export const Version = Type.Object({
  ...VersionSummary.properties,
  settings: AgentSettings,
  knowledge: KnownThen,
  gone_sources: Type.Array(Id, { description: 'Sources that it knew and that have been deleted since' })
}, { title: 'Version' })
export type Version = Static<typeof Version>

/** A line of a text in a diff. */
export const DiffLine = Type.Object({
  is: oneOf(['same', 'removed', 'added']), text: Type.String()
}, { title: 'DiffLine' })
export type DiffLine = Static<typeof DiffLine>

/** One field that two settings do not agree in. */
export const FieldChange = Type.Object({
  field: Type.String({ examples: ['behavior.suggestions'] }),
  from: Type.Optional(Type.Unknown({ description: 'What it was; absent where it was not there' })),
  to: Type.Optional(Type.Unknown({ description: 'What it is; absent where it is gone' })),
  lines: Type.Optional(Type.Array(DiffLine, { description: 'Of texts with several lines' }))
}, { title: 'FieldChange' })
export type FieldChange = Static<typeof FieldChange>

/** What differs between two states of an agent. */
export const VersionDiff = Type.Object({
  from: Type.String({ examples: ['3'] }),
  to: Type.String({ examples: ['draft'] }),
  changes: Type.Array(FieldChange)
}, { title: 'VersionDiff' })
export type VersionDiff = Static<typeof VersionDiff>

/** What publishing takes. */
export const Publishing = Type.Object({
  note: Type.Optional(note),
  if_draft: Type.Optional(text(100, {
    description: 'The `draft_etag` of the agent as you read it: refused where the draft is another by now', examples: ['1-k']
  })),
  force: Type.Optional(Type.Boolean({ description: 'Publishes although test questions fail; needs a reason' })),
  reason: Type.Optional(text(2000, { description: 'Why it is published all the same; kept with the version' }))
}, { ...closed, title: 'Publishing', examples: [{ note: 'Shorter answers about returns' }] })
export type Publishing = Static<typeof Publishing>
