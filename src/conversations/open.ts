import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Models } from '../models/index.ts'
import type { Clock } from '../platform/clock.ts'
import { deciding } from '../platform/storage/facts.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { goneTopic } from '../agents/index.ts'
import type { Prior } from '../search/words/guess.ts'
import { sqliteSpoken, sqliteWeights } from '../search/weights.sqlite.ts'
import type { Search } from '../sources/index.ts'
import { byModel, type ByModelNeeds } from './answering/by-model.ts'
import type { AttachmentStore } from './attachments/attachments.ts'
import { sqliteAttachmentStore, type AttachmentsNeeds } from './attachments/attachments.sqlite.ts'
import { sqliteLedger } from './usage/ledger.sqlite.ts'
import type { Ledger, ModelUsage } from './usage/ledger.ts'
import { conversationRemoval, type RemoveConversations } from './storage/removal.sqlite.ts'
import { sideEffectsIn, type SideEffects } from './handoff/side-effects.sqlite.ts'
import type { HandoffPolicy } from './contract.ts'
import { recentIn, type Recent } from './storage/recent.sqlite.ts'
import { conversationWords, type ConversationWords } from './storage/words.sqlite.ts'
import { heldAnswers, holdsNothing } from './storage/held.ts'
import { sqliteConversationStore } from './storage/store.sqlite.ts'
import { inboxOf, topicOf, type ConversationStore } from './store.ts'
import { openTyping, type Typing } from './typing.ts'
import { talking } from './talk/talk.ts'
import type { Talk, TalkNeeds } from './talk/contract.ts'
import type { TurnNeeds } from './answering/turn.ts'
import { openPresence, type Presence } from './visitors/presence.ts'
import { sqliteVisitorStore } from './visitors/visitors.sqlite.ts'
import type { VisitorStore } from './visitors/visitors.ts'

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

/** Dependencies of answering. */
export interface ConversationsNeeds {
  db: Database
  clock: Clock
  idempotency: Idempotency
  notifier: Notifier
  neighbours: Neighbours
  eventBus: EventBus
  jobs: Jobs
  /** The hand-off policy. */
  handoff: HandoffPolicy
  revisions: Revisions
  secrets: Secrets
  blobs: AttachmentsNeeds['blobs']
  storageLimit: AttachmentsNeeds['storageLimit']
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  draftOf: TalkNeeds['draftOf']
  peersOf: TalkNeeds['peersOf']
  search: Search
  models: Models
  allowanceOf: ByModelNeeds['allowanceOf']
  thresholds: TurnNeeds['thresholds']
  momentOf: TurnNeeds['momentOf']
  /** Executes what a model chooses. */
  acting: TalkNeeds['acting']
  onFault: (error: unknown) => void
  /** Called if an agent has no model. */
  onNone: ByModelNeeds['onNone']
}

/** Wires them with the stores. */
export function openConversations (needs: ConversationsNeeds): Conversations {
  const { db, clock, notifier, search } = needs
  const ledger = sqliteLedger(needs)
  const attachments = sqliteAttachmentStore(needs)
  const sideEffects = sideEffectsIn(needs)
  const removal = conversationRemoval(needs)
  const words = conversationWords(db, needs.secrets)
  const held = needs.neighbours.isAlone ? holdsNothing : heldAnswers(db, needs.jobs)
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
  const noteRun = (owner: Id, run: ModelUsage) => { ledger.note(owner, run).catch(needs.onFault) }
  const talk = talking({
    ...needs,
    ...byModel({ ...needs, ledger, noteRun }),
    unnoted: byModel({ ...needs, ledger, noteRun: () => {} }),
    noteRun,
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
  const typing = openTyping(needs.neighbours, (owner, conversation) => {
    notifier.notify(topicOf(conversation))
    notifier.notify(inboxOf(owner))
  })
  return {
    store,
    typing,
    presence: openPresence(clock, needs.neighbours, (owner) => notifier.notify(inboxOf(owner))),
    idempotency: needs.idempotency,
    tell: sideEffects.tell,
    tellWatchers: sideEffects.tellWatchers,
    ledger,
    attachments,
    removal,
    words,
    recent: recentIn(db, needs.secrets),
    spoken: spokenIn,
    visitors: sqliteVisitorStore({ ...needs, words }),
    talk,
    close: () => talk.close()
  }
}
