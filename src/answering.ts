import type { Id } from '../schema/common.ts'
import type { AgentStore } from './agents/index.ts'
import type { Config } from './config.ts'
import { isSpent, openConversations, type Conversations, type ConversationsNeeds } from './conversations/index.ts'
import {
  offersFrom, openModels, openTrial, sqliteModelProviderStore, type ModelProviderStore, type Models,
  type ModelSettings, type Trial
} from './models/index.ts'
import { featuresOf, tiersIn } from './plans/index.ts'
import { lazily } from './platform/lazily.ts'
import type { Database } from './platform/storage/sqlite/database.ts'
import type { Vault } from './platform/storage/vault.ts'
import type { Sent } from './privacy/index.ts'
import type { Knowledge, Log } from './sources/index.ts'
import { VERSION } from './version.ts'

/** Agents that a conversation can be passed on to, named to a model. */
const MOST_PEERS = 20
/** Agents for which the model they ask for is shown. */
const MOST_ASKING = 100
/** What trying out a model is recorded as in the ledger. */
const NO_AGENT = 0

/** Wires everything that answers visitors. */
export interface Answering {
  conversations: Conversations
  models: Models
  /** Model providers that accounts configure themselves. */
  modelProviders: ModelProviderStore
  /** Which models answer, and trying them. */
  trial: Trial
  /** Where it sends what visitors said. */
  hosts (owner: number): Promise<Sent[]>
}

/** Dependencies. */
interface AnsweringNeeds extends Omit<ConversationsNeeds, Given> {
  config: Config
  vault: Vault
  /** Whether this process serves: a list of models that cannot be read is reported when it starts. */
  serving: boolean
  agents: AgentStore
  knowledge: Pick<Knowledge, 'search' | 'blobs'>
  log: Log
}

/** What conversations need that is provided here. */
type Given =
  'peersOf' | 'search' | 'blobs' | 'storageLimit' | 'models' | 'allowanceOf' | 'thresholds' | 'onNone'

/** The operator's settings for models, in the form the models feature takes. */
export function modelSettings (
  { OPENAI_KEY: openaiKey, ANTHROPIC_KEY: anthropicKey, MODEL_URL: url, MODEL_KEY: urlKey, MODELS: file }: Config
): ModelSettings {
  return { openaiKey, anthropicKey, url, urlKey, file }
}

/** Opens it on the stores' parts. Refuses with `invalid_request` a list of models that cannot be read. */
export function openAnswering ({ config, serving, agents, knowledge, log, ...parts }: AnsweringNeeds): Answering {
  const { db, clock } = parts
  const modelProviders = sqliteModelProviderStore(parts)
  const offers = lazily(() => offersFrom(modelSettings(config)))
  // A list that cannot be read is reported when the server starts, not to the first visitor.
  if (serving) offers()
  const models = openModels({
    offers,
    providers: modelProviders,
    now: () => clock.monotonic(),
    userAgent: `Agenthall/${VERSION}`,
    isRedacting: config.MODEL_REDACT,
    firstByteMs: config.MODEL_FIRST_BYTE * 1000,
    load: { atOnce: config.MODEL_ANSWERS, perHolder: config.MODEL_ANSWERS_PER_ACCOUNT },
    onFailure: ({ code, detail }, { name, provider }) =>
      log.warn({ model: name, provider: provider.id, code, detail }, 'a language model failed')
  })
  const allowanceOf = allowancesIn(db, config)
  const conversations = openConversations({
    ...parts,
    peersOf: peersIn(agents),
    search: knowledge.search,
    blobs: knowledge.blobs,
    storageLimit: (tier) => config.STORAGE_LIMITS[tier],
    models,
    allowanceOf,
    thresholds: { sure: config.ANSWER_SURE, maybe: config.ANSWER_MAYBE },
    onNone: (agent, why) => log.warn({ agent }, why)
  })
  return {
    conversations,
    models,
    modelProviders,
    trial: openTrial({
      models,
      installation: offers,
      ofAccount: modelProviders.offers,
      usedBy: async (owner) => [
        ...new Set((await agents.active(owner, MOST_ASKING)).map(({ model }) => model.response_model))
      ],
      hasPremium: async (owner) => (await allowanceOf(owner)).hasPremium,
      isSpent: async (owner) => isSpent(
        await conversations.ledger.today(owner, NO_AGENT), { ...(await allowanceOf(owner)).daily, agent: 0 }
      ),
      note: async (owner, { model, provider, usage, firstMs, totalMs, isComplete }) =>
        await conversations.ledger.note(owner, {
          agent: NO_AGENT,
          model,
          provider,
          outcome: isComplete ? 'complete' : 'failed',
          ...usage,
          first_ms: firstMs,
          total_ms: totalMs
        }),
      now: () => clock.monotonic()
    }),
    hosts: async (owner) => [
      ...[
        ...offers().map(({ provider }) => provider.url), ...(await modelProviders.list(owner)).map(({ url }) => url)
      ].map((url) => ({ url, purpose: 'answers' as const })),
      ...(config.EMBEDDINGS_URL ? [{ url: config.EMBEDDINGS_URL, purpose: 'search' as const }] : [])
    ]
  }
}

/** Other agents of an account that accept conversations from its agents. */
function peersIn (agents: AgentStore) {
  return async (owner: Id, but: readonly Id[]) => {
    const all = await agents.active(owner, MOST_PEERS * 5)
    return all
      .filter(({ id, behavior }) => behavior.aiToAiHandoff && !but.includes(id))
      .slice(0, MOST_PEERS)
  }
}

/** Which models an account's agents may use, and how much, by its tier. */
function allowancesIn (db: Database, { DAILY_TOKENS, DAILY_AGENT_TOKENS }: Config) {
  const tierOf = tiersIn(db)
  return async (owner: Id) => {
    const tier = await db.read(() => tierOf(owner))
    return {
      hasPremium: featuresOf(tier).PREMIUM_MODELS,
      daily: { account: DAILY_TOKENS[tier], agent: DAILY_AGENT_TOKENS[tier] ?? 0 }
    }
  }
}
