import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Models } from '../models/index.ts'
import { deciding } from '../platform/storage/facts.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import { goneTopic, type AgentStore } from '../agents/index.ts'
import type { Prior } from '../search/words/guess.ts'
import { sqliteSpoken, sqliteWeights } from '../search/weights.sqlite.ts'
import type { Knowledge } from '../sources/index.ts'
import { byModel } from './answering/by-model.ts'
import type { AttachmentStore } from './attachments/attachments.ts'
import { sqliteAttachmentStore } from './attachments/attachments.sqlite.ts'
import { workOnLooseFiles } from './attachments/loose.ts'
import { allowancesIn, type Ledger, type ModelUsage } from './usage/ledger.ts'
import { sqliteLedger } from './usage/ledger.sqlite.ts'
import { conversationRemoval, type RemoveConversations } from './storage/removal.sqlite.ts'
import { sideEffectsIn, type SideEffects } from './handoff/side-effects.sqlite.ts'
import type { HandoffPolicy } from './contract.ts'
import { recentIn, type Recent } from './storage/recent.sqlite.ts'
import { conversationWords, type ConversationWords } from './storage/words.sqlite.ts'
import { INDEXING, workOnWords } from './storage/indexing.ts'
import { heldAnswers, holdsNothing } from './storage/held.ts'
import { sqliteConversationStore } from './storage/store.sqlite.ts'
import { inboxOf, topicOf, type ConversationStore } from './store.ts'
import { openTyping, type Typing } from './typing.ts'
import { workOnAnswers } from './talk/resuming.ts'
import { talking } from './talk/talk.ts'
import type { Talk, TalkNeeds } from './talk/contract.ts'
import type { TurnNeeds } from './answering/turn.ts'
import { openPresence, type Presence } from './visitors/presence.ts'
import { sqliteVisitorStore } from './visitors/visitors.sqlite.ts'
import type { VisitorStore } from './visitors/visitors.ts'

/** Agents that a conversation can be passed on to, named to a model. */
const MOST_PEERS = 20

/** Conversations, and everything that answers in them. */
export interface Conversations {
  store: ConversationStore
  visitors: VisitorStore
  attachments: AttachmentStore
  ledger: Ledger
  talk: Talk
  /** Stores answers outside of conversations under their Idempotency-Key. */
  idempotency: Idempotency
  /** Removes conversations inside an open transaction. */
  removal: RemoveConversations
  /** The word index, for searches. */
  words: ConversationWords
  /** Recent messages with an agent. */
  recent: Recent
  /** How many of an agent's passages are in each language. */
  spoken: (agent: Id) => Promise<Prior>
  typing: Typing
  presence: Presence
  /** Notifies watchers of all conversations of an account; inside the same transaction. */
  tell: SideEffects['tell']
  /** The same, and watchers of the conversation too. */
  tellWatchers: SideEffects['tellWatchers']
  /** Cancels all answers; they are regenerated after the next start. */
  close (): Promise<void>
}

/** What conversations need of other features. */
export interface ConversationsNeeds {
  agents: Pick<AgentStore, 'live' | 'get' | 'active'>
  knowledge: Pick<Knowledge, 'search' | 'blobs'>
  models: Models
  /** The hand-off policy. */
  handoff: HandoffPolicy
  momentOf: TurnNeeds['momentOf']
  /** Executes what a model chooses. */
  acting: TalkNeeds['acting']
}

/** Opens them; unfinished answers are resumed from then on. */
export function openConversations (kernel: Kernel, features: ConversationsNeeds): Conversations {
  const { db, clock, notifier, neighbours, config, log, onFault } = kernel
  const { agents, knowledge: { search, blobs } } = features
  const needs = {
    ...kernel, ...features, blobs, storageLimit: (tier: Tier) => config.STORAGE_LIMITS[tier], agentOf: agents.live
  }
  const ledger = sqliteLedger(needs)
  const attachments = sqliteAttachmentStore(needs)
  const sideEffects = sideEffectsIn(needs)
  const removal = conversationRemoval(needs)
  const words = conversationWords(db, kernel.secrets)
  const held = neighbours.isAlone ? holdsNothing : heldAnswers(db, kernel.jobs)
  const store = sqliteConversationStore({
    ...needs,
    words,
    removal,
    sideEffects,
    addRun: ledger.add,
    attachments: attachments.named,
    held
  })
  const weigh = sqliteWeights(db)
  const spoken = sqliteSpoken(db)
  const spokenIn = async (agent: Id) => await db.read(() => spoken(agent))
  const noteRun = (owner: Id, run: ModelUsage) => { ledger.note(owner, run).catch(onFault) }
  const asking = {
    models: features.models,
    ledger,
    allowanceOf: allowancesIn(kernel),
    onNone: (agent: Id, why: string) => log.warn({ agent }, why)
  }
  const talk = talking({
    ...needs,
    ...byModel({ ...asking, noteRun }),
    unnoted: byModel({ ...asking, noteRun: () => {} }),
    noteRun,
    draftOf: async (owner, id) => (await agents.get(owner, id))?.agent,
    peersOf: peersIn(agents),
    thresholds: { sure: config.ANSWER_SURE, maybe: config.ANSWER_MAYBE },
    store,
    // Only what an answer needs is held while it is written.
    search: async ({ owner, id }, query, limit) =>
      (await search(owner, id, query, limit)).map(
        ({ source, title, url, page, heading, text, start, language, score, confidence, fit, quotes }) => ({
          source, title, url, page, heading, text, start, language, score, confidence, fit, quotes
        })
      ),
    spoken: spokenIn,
    prior: spoken,
    decided: (rule) => db.read(() => deciding(function * () { return rule() })),
    weigh: async ({ id }, language, words) => db.read(() => weigh(id, language, words)),
    now: () => clock.monotonic(),
    notify: (conversation) => notifier.notify(topicOf(conversation)),
    subscribe: notifier.subscribe,
    letGo: held.letGo,
    release: held.release,
    wake: (topic) => notifier.notify(topic),
    whenGone: (agent, callback) => notifier.subscribe(goneTopic(agent), callback)
  })
  const typing = openTyping(neighbours, (owner, conversation) => {
    notifier.notify(topicOf(conversation))
    notifier.notify(inboxOf(owner))
  })
  background(kernel, { words, talk, attachments })
  kernel.onClose(() => talk.close())
  return {
    store,
    typing,
    presence: openPresence(clock, neighbours, (owner) => notifier.notify(inboxOf(owner))),
    idempotency: kernel.idempotency,
    tell: sideEffects.tell,
    tellWatchers: sideEffects.tellWatchers,
    ledger,
    attachments,
    removal,
    words,
    recent: recentIn(db, kernel.secrets),
    spoken: spokenIn,
    visitors: sqliteVisitorStore({ ...needs, words }),
    talk,
    close: () => talk.close()
  }
}

/** What is done without anybody asking: indexing, resuming answers, forgetting files that no message came to have. */
function background (
  kernel: Kernel, { words, talk, attachments }: Pick<Conversations, 'words' | 'talk' | 'attachments'>
) {
  const { db, clock, worker, jobs } = kernel
  workOnWords(worker, db, { words })
  workOnAnswers(worker, talk)
  workOnLooseFiles(worker, clock, attachments)
  kernel.onWork(async () => {
    if (await db.read(() => words.hasUnindexed())) await jobs.queue.ask([INDEXING])
  })
  kernel.onRecovery(() => talk.resumeAll())
}

/** Other agents of an account that accept conversations from its agents. */
function peersIn (agents: Pick<AgentStore, 'active'>) {
  return async (owner: Id, but: readonly Id[]) => {
    const all = await agents.active(owner, MOST_PEERS * 5)
    return all
      .filter(({ id, behavior }) => behavior.aiToAiHandoff && !but.includes(id))
      .slice(0, MOST_PEERS)
  }
}
