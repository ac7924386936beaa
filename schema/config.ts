import { Type, type Static } from '@sinclair/typebox'
import { ActorKind } from './audit.ts'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { FieldChange } from './versions.ts'

/** What files may hold, in the order in which it is made. */
export const CONFIG_KINDS = ['business', 'webhook', 'connection', 'action', 'agent', 'source', 'question'] as const
export const ConfigKind = oneOf(CONFIG_KINDS)
export type ConfigKind = Static<typeof ConfigKind>

/** Groups of kinds that files may manage, as agenthall.yaml names them. */
export const MANAGED = ['agents', 'actions', 'questions', 'business', 'webhooks'] as const
export type Managed = typeof MANAGED[number]

/** Bytes that all files of a plan may have together, and how many there may be. */
export const [MOST_CONFIG_BYTES, MOST_CONFIG_FILES] = [32 * 2 ** 20, 4000]

/** One file. */
export const ConfigFile = Type.Object({
  path: Type.String({
    minLength: 1, maxLength: 250, description: 'Below the directory, with /', examples: ['agents/support/agent.yaml']
  }),
  text: Type.Optional(Type.String({ description: 'What is in it' })),
  base64: Type.Optional(Type.String({ description: 'The same of a file that is no text' }))
}, { ...closed, title: 'ConfigFile' })
export type ConfigFile = Static<typeof ConfigFile>

/** What a plan is made of. */
export const ConfigDraft = Type.Object({
  files: Type.Array(ConfigFile, { maxItems: MOST_CONFIG_FILES, description: 'The directory, file by file' }),
  secrets: Type.Optional(Type.Record(
    Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }), Type.String({ maxLength: 4000 }),
    { maxProperties: 200, description: 'What files name with `{ env: NAME }`; kept nowhere but where it is used' }
  )),
  prune: Type.Optional(Type.Boolean({ description: 'Whether what a file made and no file holds any more is deleted' }))
}, {
  ...closed,
  title: 'ConfigDraft',
  examples: [{ files: [{ path: 'agenthall.yaml', text: 'format: 1\nmanage: [agents]\n' }] }]
})
export type ConfigDraft = Static<typeof ConfigDraft>

const Place = Type.String({ description: 'What names it among all that files hold', examples: ['agents/support'] })
const Who = nullable(Type.Object({ id: Id, name: nullable(Type.String()) }), {
  description: 'Who did it; null on the command line of the server, or where that is not known any more'
})

/** What was changed elsewhere since files were last applied. */
export const ConfigDrift = Type.Object({
  place: Place,
  file: Type.String(),
  is: oneOf(['changed', 'deleted']),
  who: Who,
  at: nullable(Timestamp),
  fields: Type.Array(Type.String(), { description: 'The fields that were sent, as far as that is known' })
}, { title: 'ConfigDrift' })
export type ConfigDrift = Static<typeof ConfigDrift>

/** What becomes of one object. */
export const ConfigChange = Type.Object({
  place: Place,
  kind: ConfigKind,
  file: Type.String({ description: 'The file that says so; empty where none does' }),
  action: oneOf(['create', 'change', 'delete', 'unmanaged'], {
    description: '`unmanaged`: it is there and in no file, and stays as it is'
  }),
  was: nullable(Type.String({ description: 'The key that it had before' })),
  changes: Type.Array(FieldChange, { description: 'Field by field; a long text by its lines' }),
  trains: Type.Integer({ minimum: 0, description: 'Bytes of texts and files that would be trained' })
}, { title: 'ConfigChange' })
export type ConfigChange = Static<typeof ConfigChange>

/** What applying files would do. */
export const ConfigPlan = Type.Object({
  changes: Type.Array(ConfigChange),
  unchanged: Type.Integer({ minimum: 0, description: 'Objects that are as the files have them' }),
  drift: Type.Array(ConfigDrift),
  missing_secrets: Type.Array(Type.String(), { description: 'Names that `{ env: NAME }` asks for and nobody gave' }),
  training: Type.Object({
    sources: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 })
  }, { description: 'What would be trained; of sites and Drive no bytes are known before' }),
  digests: Type.Record(Type.String(), Type.String(), {
    description: 'How everything was that the plan was made of: `if` of applying it'
  })
}, { title: 'ConfigPlan' })
export type ConfigPlan = Static<typeof ConfigPlan>

/** What applying takes: what was planned, and how everything was then. */
export const ConfigApply = Type.Object({
  plan: ConfigDraft,
  if: Type.Record(Type.String({ maxLength: 250 }), Type.String({ maxLength: 200 }), {
    description: 'The `digests` of the plan'
  }),
  publish: Type.Optional(Type.Boolean({
    description: 'Publish agents through their test questions; without it changes wait in drafts'
  })),
  ref: Type.Optional(text(200, { description: 'What the files are of, such as a commit', examples: ['4f2a9c1'] }))
}, { ...closed, title: 'ConfigApply' })
export type ConfigApply = Static<typeof ConfigApply>

/** What became of an agent that was to be published. */
export const ConfigPublished = Type.Object({
  place: Place,
  version: nullable(Type.Integer({ description: 'What visitors are answered with now; null: it was not published' })),
  why: nullable(Type.Object({
    code: Type.String(),
    message: Type.String(),
    questions: Type.Array(Type.Object({ text: Type.String(), verdict: Type.String(), why: Type.String() }))
  }, { description: 'Why it was not; its draft is there' }))
}, { title: 'ConfigPublished' })
export type ConfigPublished = Static<typeof ConfigPublished>

/** What applying did. */
export const ConfigApplied = Type.Object({
  changes: Type.Array(ConfigChange),
  training: ConfigPlan.properties.training,
  published: Type.Array(ConfigPublished)
}, { title: 'ConfigApplied' })
export type ConfigApplied = Static<typeof ConfigApplied>

/** How files and account stand to one another. */
export const ConfigState = Type.Object({
  last: nullable(Type.Object({
    at: Timestamp, who: Who, by: ActorKind, ref: Type.String(), changes: Type.Integer({ minimum: 0 })
  }), { description: 'When files were last applied' }),
  drift: Type.Array(ConfigDrift),
  kept: Type.Array(Type.Object({
    place: Place,
    kind: ConfigKind,
    id: nullable(Id, { description: 'Null of the settings of the account' }),
    file: title(250),
    is_locked: Type.Boolean({ description: 'Whether it is changed by files alone' })
  }), { description: 'What is kept in files' }),
  training: Type.Integer({ minimum: 0, description: 'Sources of agents in files that are still to be trained' })
}, { title: 'ConfigState' })
export type ConfigState = Static<typeof ConfigState>
