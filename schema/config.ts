import { Type, type Static } from '@sinclair/typebox'
import { ActorKind } from './audit.ts'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { FieldChange } from './versions.ts'

/** Kinds of objects in files, in the order in which they are created. */
export const CONFIG_KINDS = ['business', 'webhook', 'connection', 'action', 'agent', 'source', 'question'] as const
export const ConfigKind = oneOf(CONFIG_KINDS)
export type ConfigKind = Static<typeof ConfigKind>

/** Groups of kinds that files may manage, by their names in agenthall.yaml. */
export const MANAGED = ['agents', 'actions', 'questions', 'business', 'webhooks'] as const
export type Managed = typeof MANAGED[number]

/** Maximum total bytes, and number, of a plan's files. */
export const [MOST_CONFIG_BYTES, MOST_CONFIG_FILES] = [32 * 2 ** 20, 4000]

/** One file. */
export const ConfigFile = Type.Object({
  path: Type.String({
    minLength: 1,
    maxLength: 250,
    description: 'Path relative to the directory, with / as the separator',
    examples: ['agents/support/agent.yaml']
  }),
  text: Type.Optional(Type.String({ description: 'Content of a text file' })),
  base64: Type.Optional(Type.String({ description: 'Content of a file that is not text, Base64-encoded' }))
}, { ...closed, title: 'ConfigFile' })
export type ConfigFile = Static<typeof ConfigFile>

/** Input of a plan. */
export const ConfigDraft = Type.Object({
  files: Type.Array(ConfigFile, { maxItems: MOST_CONFIG_FILES, description: 'The files of the directory' }),
  secrets: Type.Optional(Type.Record(
    Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }), Type.String({ maxLength: 4000 }),
    { maxProperties: 200, description: 'Values for `{ env: NAME }` in files; stored only where they are used' }
  )),
  prune: Type.Optional(Type.Boolean({
    description: 'Whether to delete objects that were created from a file and are no longer in any file'
  }))
}, {
  ...closed,
  title: 'ConfigDraft',
  examples: [{ files: [{ path: 'agenthall.yaml', text: 'format: 1\nmanage: [agents]\n' }] }]
})
export type ConfigDraft = Static<typeof ConfigDraft>

const Place = Type.String({
  description: 'Identifies the object among all objects in files', examples: ['agents/support']
})
const Who = nullable(Type.Object({ id: Id, name: nullable(Type.String()) }), {
  description: "Who made the change; null: the server's command line, or no longer known"
})

/** What was changed elsewhere since files were last applied. */
export const ConfigDrift = Type.Object({
  place: Place,
  file: Type.String(),
  is: oneOf(['changed', 'deleted']),
  who: Who,
  at: nullable(Timestamp),
  fields: Type.Array(Type.String(), { description: 'The fields that were sent, as far as known' })
}, { title: 'ConfigDrift' })
export type ConfigDrift = Static<typeof ConfigDrift>

/** The planned change of one object. */
export const ConfigChange = Type.Object({
  place: Place,
  kind: ConfigKind,
  file: Type.String({ description: 'The file that defines it; empty if none does' }),
  action: oneOf(['create', 'change', 'delete', 'unmanaged'], {
    description: '`unmanaged`: it exists but is in no file, and is left as it is'
  }),
  was: nullable(Type.String({ description: 'Its previous key' })),
  changes: Type.Array(FieldChange, { description: 'Changes field by field; long texts line by line' }),
  trains: Type.Integer({ minimum: 0, description: 'Bytes of texts and files that would be trained' })
}, { title: 'ConfigChange' })
export type ConfigChange = Static<typeof ConfigChange>

/** What applying files would do. */
export const ConfigPlan = Type.Object({
  changes: Type.Array(ConfigChange),
  unchanged: Type.Integer({ minimum: 0, description: 'Objects that already match the files' }),
  drift: Type.Array(ConfigDrift),
  missing_secrets: Type.Array(Type.String(), {
    description: 'Names used in `{ env: NAME }` that no value was given for'
  }),
  training: Type.Object({
    sources: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 })
  }, { description: 'What would be trained; the bytes of sites and Drive are not known in advance' }),
  digests: Type.Record(Type.String(), Type.String(), {
    description: 'State of everything the plan was made from; send it as `if` to apply the plan'
  })
}, { title: 'ConfigPlan' })
export type ConfigPlan = Static<typeof ConfigPlan>

/** Request to apply: the plan, and the state it was made for. */
export const ConfigApply = Type.Object({
  plan: ConfigDraft,
  if: Type.Record(Type.String({ maxLength: 250 }), Type.String({ maxLength: 200 }), {
    description: 'The `digests` of the plan'
  }),
  publish: Type.Optional(Type.Boolean({
    description: 'Publish agents, subject to their test questions; without it, changes stay in drafts'
  })),
  ref: Type.Optional(text(200, { description: 'What the files represent, such as a commit', examples: ['4f2a9c1'] }))
}, { ...closed, title: 'ConfigApply' })
export type ConfigApply = Static<typeof ConfigApply>

/** The result of publishing an agent. */
export const ConfigPublished = Type.Object({
  place: Place,
  version: nullable(Type.Integer({ description: 'Version that visitors are now answered with; null: not published' })),
  why: nullable(Type.Object({
    code: Type.String(),
    message: Type.String(),
    questions: Type.Array(Type.Object({ text: Type.String(), verdict: Type.String(), why: Type.String() }))
  }, { description: 'Why it was not published; its draft remains' }))
}, { title: 'ConfigPublished' })
export type ConfigPublished = Static<typeof ConfigPublished>

/** The result of applying. */
export const ConfigApplied = Type.Object({
  changes: Type.Array(ConfigChange),
  training: ConfigPlan.properties.training,
  published: Type.Array(ConfigPublished)
}, { title: 'ConfigApplied' })
export type ConfigApplied = Static<typeof ConfigApplied>

/** How files and account differ. */
export const ConfigState = Type.Object({
  last: nullable(Type.Object({
    at: Timestamp, who: Who, by: ActorKind, ref: Type.String(), changes: Type.Integer({ minimum: 0 })
  }), { description: 'The last time files were applied' }),
  drift: Type.Array(ConfigDrift),
  kept: Type.Array(Type.Object({
    place: Place,
    kind: ConfigKind,
    id: nullable(Id, { description: "null for the account's settings" }),
    file: title(250),
    is_locked: Type.Boolean({ description: 'Whether it can be changed only through files' })
  }), { description: 'Objects kept in files' }),
  training: Type.Integer({ minimum: 0, description: 'Sources of agents in files that have yet to be trained' })
}, { title: 'ConfigState' })
export type ConfigState = Static<typeof ConfigState>
