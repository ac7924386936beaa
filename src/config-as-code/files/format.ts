import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { ActionDraft, ConnectionDraft } from '../../../schema/actions.ts'
import { ASSIGNED, AgentPatch, VocabularyDraft } from '../../../schema/agents.ts'
import { BusinessPatch } from '../../../schema/business.ts'
import { QuestionDraft } from '../../../schema/checks.ts'
import { closed, nullable, oneOf, title } from '../../../schema/common.ts'
import { SourceDraft } from '../../../schema/knowledge.ts'
import { WebhookDraft } from '../../../schema/webhooks.ts'
import { MANAGED, type ConfigKind, type Managed } from '../../../schema/config.ts'

/*
 * The schema of each file. Every field may be omitted, and then stays as it is; fields required to make an object are
 * checked when it is made.
 */

/** The format that this program reads and writes. */
export const FORMAT = 1

/** The group of each kind. */
export const GROUP_OF: Record<ConfigKind, Managed> = {
  business: 'business',
  webhook: 'webhooks',
  connection: 'actions',
  action: 'actions',
  agent: 'agents',
  source: 'agents',
  question: 'questions'
}

/** The directory of a file or an object: `agents/support/` of `agents/support/prompt.md`. */
export const homeOf = (place: string): string => place.slice(0, place.lastIndexOf('/') + 1)

/** An object's key: also valid as a folder's or a file's name on any computer. */
export const KEY = '^[a-z0-9][a-z0-9_-]{0,63}$'
const Key = Type.String({ pattern: KEY, examples: ['support'] })
const keyed = { key: Key, was: Type.Optional(Key) }
const lockable = { ...keyed, lock: Type.Optional(Type.Boolean()) }

/** Maximum objects per list. */
const MOST_LISTED = 2000

const without = <T extends Record<string, TSchema>>(properties: T, names: readonly string[]) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
const optional = (properties: Record<string, TSchema>) => Type.Partial(Type.Object(properties)).properties
const listOf = (item: TSchema) => Type.Array(item, { maxItems: MOST_LISTED })

/** A secret: from the environment of the person who applies, or the existing one. */
const Secret = Type.Object({
  env: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', examples: ['SHOP_KEY'] })),
  keep: Type.Optional(Type.Literal(true))
}, { ...closed, minProperties: 1 })
export type Secret = Static<typeof Secret>

/** `agenthall.yaml`. */
export const Head = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  manage: Type.Array(oneOf(MANAGED), { uniqueItems: true })
}, closed)
export type Head = Static<typeof Head>

/** `business.yaml`. */
export const BusinessFile = Type.Object({
  lock: Type.Optional(Type.Boolean()),
  ...optional(without(BusinessPatch.properties, ['team_chat_url'])),
  team_chat_url: Type.Optional(Type.Union([Secret, Type.Null()]))
}, closed)

const { behavior } = AgentPatch.properties
const ofBehavior = without(
  (behavior as unknown as { properties: Record<string, TSchema> }).properties,
  ['escalationPrompt', 'agentHandoffPrompt', 'actionIds']
)

/** `agents/KEY/agent.yaml`; its prompts are in files of their own. */
export const AgentFile = Type.Object({
  ...lockable,
  ...optional(without(AgentPatch.properties, [...ASSIGNED, 'systemPrompt', 'behavior'])),
  behavior: Type.Optional(Type.Object({
    ...ofBehavior, actions: Type.Optional(Type.Array(Key, { maxItems: 50, uniqueItems: true }))
  }, closed)),
  vocabulary: Type.Optional(VocabularyDraft.properties.terms)
}, closed)

/** The prompts of an agent by their files, and the fields that they are. */
export const PROMPTS = {
  'prompt.md': 'systemPrompt', 'escalation.md': 'behavior.escalationPrompt', 'handoff.md': 'behavior.agentHandoffPrompt'
} as const

const path = Type.String({ minLength: 1, maxLength: 200, pattern: '^knowledge/[^/\\\\]+$', examples: ['knowledge/returns.md'] })
const {
  urls, google_drive_file_id: drive, depth, count, refresh_hours: hours, include, exclude
} = SourceDraft.properties

/** `agents/KEY/sources.yaml`. */
export const SourcesFile = listOf(Type.Object({
  ...keyed,
  title: Type.Optional(title(500)),
  folder: Type.Optional(Type.Array(title(200), { maxItems: 20 })),
  selected: Type.Optional(Type.Boolean()),
  text: Type.Optional(path),
  faq: Type.Optional(path),
  file: Type.Optional(path),
  name: Type.Optional(title(500)),
  type: Type.Optional(oneOf(['docs', 'faq'])),
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  urls,
  depth,
  count,
  refresh_hours: hours,
  include,
  exclude,
  drive
}, closed))

const { expect } = QuestionDraft.properties
const { sources: _sources, ...ofExpect } = (expect as unknown as { properties: Record<string, TSchema> }).properties

/** `agents/KEY/questions.yaml`. */
export const QuestionsFile = listOf(Type.Object({
  ...keyed,
  ...optional(without(QuestionDraft.properties, ['expect'])),
  expect: Type.Optional(Type.Object({
    ...ofExpect, sources: Type.Optional(Type.Array(Key, { maxItems: 20, uniqueItems: true }))
  }, closed))
}, closed))

/** `actions/KEY.yaml`: a connection, and what is done over it. */
export const ConnectionFile = Type.Object({
  ...lockable,
  ...optional(without(ConnectionDraft.properties, ['secret'])),
  secret: Type.Optional(Type.Union([Secret, Type.Null()])),
  actions: Type.Optional(listOf(Type.Object({
    ...keyed,
    ...optional(without(ActionDraft.properties, ['connection'])),
    schema_digest: Type.Optional(nullable(Type.String({ maxLength: 100 })))
  }, closed)))
}, closed)

/** `webhooks.yaml`. */
export const WebhooksFile = listOf(Type.Object({ ...lockable, ...optional(WebhookDraft.properties) }, closed))
