import type { Id } from '../schema/common.ts'
import { users } from '../schema/sqlite/access.ts'
import {
  linkMails, namesIn, signInRows, sqliteAccessStore, sqlitePasskeyStore, sqliteSignInStore, standingOf,
  type AccessStore, type PasskeyStore, type SignInStore
} from './access/index.ts'
import { actingWith, actionHosts, exportedCalls, openActions, workOnActions, type Actions } from './actions/index.ts'
import { displayName, FIRST_VERSIONS, sqliteAgentStore, workOnVersions, type AgentStore } from './agents/index.ts'
import { sqliteAnalyticsStore, type AnalyticsStore } from './analytics/index.ts'
import { openAnswering } from './answering.ts'
import { forgetEvents, sqliteAuditStore, type AuditStore } from './audit/index.ts'
import { openChecks, type Checks } from './checks/index.ts'
import { sqliteBusinessStore, type BusinessStore } from './business/index.ts'
import { readConfig, type Config } from './config.ts'
import { inboxOf, INDEXING, workOnLooseFiles, workOnWords, type Conversations } from './conversations/index.ts'
import { openDataFile, type DataFile, type DataFileOptions } from './data-file.ts'
import { mailShare, type Deliveries } from './deliveries/index.ts'
import { openFeeds, type Feeds } from './feeds/index.ts'
import { FOLLOW_UP_MAIL, followUp, followUpsIn } from './follow-ups/index.ts'
import {
  handsOf, sqliteDutyStore, teamHandsIn, sqliteNoteStore, sqliteSeenStore, openLookers, workOnHandoffs, type DutyStore,
  type Lookers,
  type NoteStore, type SeenStore, type Table
} from './handoff/index.ts'
import { sqliteLearningStore, suggesting, type Learning } from './learning/index.ts'
import type { ModelProviderStore, Models } from './models/index.ts'
import type { PushStore } from './notifications/index.ts'
import { openConfig, sqliteConfigStore, type Config as ConfigAsCode } from './config-as-code/index.ts'
import { sqliteReplyStore, type ReplyStore } from './replies/index.ts'
import { openOutward, sendsMail, vaultOf, type Outward } from './outward.ts'
import { audited } from './platform/storage/audit.ts'
import type { Secrets } from './platform/storage/secrets.ts'
import type { Database } from './platform/storage/sqlite/database.ts'
import { jobsIn } from './platform/storage/sqlite/jobs.ts'
import { onceOnly } from './platform/storage/sqlite/once.ts'
import { outboxIn } from './platform/storage/sqlite/outbox.ts'
import { revisionsOf, type Revisions } from './platform/storage/sqlite/revisions.ts'
import { durationMs } from './platform/storage/sqlite/scheduled-backups.ts'
import { secretsIn } from './platform/storage/sqlite/secrets.ts'
import type { Space } from './platform/storage/sqlite/space.ts'
import type { Vault } from './platform/storage/vault.ts'
import { openAnnouncements, type Announcements } from './platform/work/announcements.ts'
import type { JobQueue } from './platform/work/jobs.ts'
import { openNotifier, type Notifier } from './platform/work/notifier.ts'
import type { OutboxStore, Sender } from './platform/work/outbox.ts'
import { openWorker, type OnFault } from './platform/work/worker.ts'
import { tiersIn } from './plans/index.ts'
import { hasConsented, hidingAbout, openPrivacy, type BackupPlan, type MoreOf, type Privacy } from './privacy/index.ts'
import { recognitionCommand } from './reading/recognition.ts'
import { openKnowledge, type Knowledge, type Log, type KnowledgeSettings, type Outside } from './sources/index.ts'
import { sqliteTeamStore, type TeamStore } from './team/index.ts'
import { MAIL, shownTicket, type Tickets } from './tickets/index.ts'
import { VERSION } from './version.ts'
import type { WebhookStore } from './webhooks/index.ts'
import { sqliteWidgetStore, type WidgetStore } from './widget/index.ts'

/** Tickets of one conversation in an export, at most. */
const TICKETS_EXPORTED = 1000

/** Everything that is kept, behind contracts that name no database. */
export interface Stores {
  access: AccessStore
  /** What was done in each account, and by whom. */
  audit: AuditStore
  /** What accounts have set for all their agents. */
  business: BusinessStore
  signIn: SignInStore
  passkeys: PasskeyStore
  /** Who acts for an account. */
  team: TeamStore
  agents: AgentStore
  knowledge: Knowledge
  conversations: Conversations
  /** Keys that put agents on sites. */
  widget: WidgetStore
  privacy: Privacy
  /** Daily sums of what agents did. */
  analytics: AnalyticsStore
  /** What agents could learn. */
  learning: Learning
  /** Test questions of agents, and their runs. */
  checks: Checks
  /** Where agents' knowledge comes from and is kept fresh. */
  feeds: Feeds
  /** Who is there for visitors, and what people note on conversations and have seen of them. */
  duty: DutyStore
  notes: NoteStore
  seen: SeenStore
  lookers: Lookers
  /** What agents can do in other systems, and what they did. */
  actions: Actions
  replies: ReplyStore
  /** The account as files. */
  configAsCode: ConfigAsCode
  models: Models
  /** Model providers that accounts configure themselves. */
  modelProviders: ModelProviderStore
  /** Wakes those who wait for news. */
  notifier: Notifier
  /** Tells features what others did, in the transaction in which they did it. */
  announcements: Announcements
  /** Which lists of an account may be shown again as they were. */
  revisions: Revisions
  /**
   * Begins what is done in the background; only in the one process that works on the file. `onFault` hears of what
   * nobody foresaw.
   */
  work (onFault: OnFault, log?: Log): Promise<Background>
  /** What is to be done in the background. */
  jobs: JobQueue
  /** Outgoing messages, durably queued (outbox). */
  outbox: OutboxStore
  /** The outbox as shown to its account. */
  deliveries: Deliveries
  /** Where accounts want to be told of what happens. */
  webhooks: WebhookStore
  /** Seals the address of a team's chat for the settings of its account. */
  sealChat: Outward['sealChat']
  tickets: Tickets
  /** Which browsers are pushed to. */
  push: PushStore
  /** Who sends it, by channel; features add theirs before `work`. */
  senders: Record<string, Sender>
  /** What texts are sealed with. */
  secrets: Secrets
  /** What secrets of others are sealed with. */
  vault: Vault
  /** For what is about the file itself: readiness, backup, doctor. */
  db: Database
  /** Room on the disk; watched only by the process that serves. */
  space: Space | undefined
  /** Tells commands that are run meanwhile where this process serves, and with what. */
  announce: DataFile['announce']
  close (): void
}

/** What is done in the background. */
export interface Background {
  /** Comes to a stop; what had begun is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due, nothing runs, and what was deleted is wiped. */
  settled (): Promise<void>
}

/** How to open the stores. All but the first three differ from their defaults only in tests and in the benchmark. */
export interface StoresOptions extends Omit<DataFileOptions, 'directory'> {
  /** The settings; the defaults without it. */
  config?: Config
  /** Where the data is; the setting's directory without it. */
  directory?: string
  /** Overrides the hand-off state machine; tests only. */
  table?: Table | undefined
  /** Overrides for fetching and parsing sources; tests only. */
  outside?: Partial<Outside>
}

/**
 * Opens the stores of a data directory, making and upgrading the file as needed. The one place that chooses the
 * database. Refuses as `openDataFile` does, with the file as it was; also with `invalid_request` when a list of models
 * cannot be read.
 */
export async function openStores (
  { config = readConfig({}), directory = config.DATA, table, outside = {}, ...options }: StoresOptions
): Promise<Stores> {
  return await openDataFile(
    { ...options, directory }, (opened) => storesOn(config, opened, { ...options, table, outside })
  )
}

function storesOn (
  config: Config, { db: plain, space, announce, close }: DataFile,
  { clock, serving = false, table, outside = {} }: Pick<StoresOptions, 'clock' | 'serving' | 'table' | 'outside'>
): Stores {
  const audit = sqliteAuditStore({ db: plain, clock })
  const db = audited(plain, audit)
  const revisions = revisionsOf(db, users)
  const notifier = openNotifier(() => db.generation())
  const announcements = openAnnouncements()
  const jobs = jobsIn(db, clock)
  const worker = openWorker({ queue: jobs.queue, clock })
  forgetEvents(worker, { db, clock, days: config.AUDIT_DAYS })
  const outbox = outboxIn(db, clock, jobs, hidingAbout(db))
  const senders: Record<string, Sender> = {}
  const secrets = secretsIn(db.raw)
  const parts = {
    db,
    clock,
    vault: vaultOf(db),
    secrets,
    revisions,
    onceOnly: onceOnly(db, clock),
    notifier,
    announcements,
    jobs,
    worker,
    standing: standingOf(db),
    rows: signInRows({ db, clock })
  }
  const mails = linkMails(outbox, sendsMail(config))
  const knowledge = openKnowledge({ ...parts, settings: knowledgeSettings(config), outside })
  const told: { onFault?: OnFault, log?: Log | undefined } = {}
  const onFault = (error: unknown) => told.onFault?.(error)
  const log: Log = { info: (...line) => told.log?.info(...line), warn: (...line) => told.log?.warn(...line) }
  const agents = sqliteAgentStore({ ...parts, agentLimits: config.AGENT_LIMITS })
  const hasUnversioned = workOnVersions(worker, parts)
  const agentOf = agents.live
  const draftOf = async (owner: Id, id: Id) => (await agents.get(owner, id))?.agent
  const business = sqliteBusinessStore(parts)
  const duty = sqliteDutyStore({ ...parts, business, teamHands: teamHandsIn(parts), onFault })
  const actions = openActions({
    ...parts,
    allowedHosts: config.ALLOWED_HOSTS,
    userAgent: `Agenthall/${VERSION}`,
    onFault,
    agentOf,
    conversations: () => conversations
  })
  const { conversations, models, modelProviders, hosts: modelHosts } = openAnswering({
    ...parts,
    config,
    serving,
    log,
    agents,
    agentOf,
    draftOf,
    knowledge,
    hands: handsOf({ duty, business, clock, isFollowedUp: followUpsIn(db), nameOf: namesIn(db), table }),
    acting: actingWith(actions),
    momentOf: (owner) => db.read(() => ({
      business: business.of(owner), micros: clock.micros(), isOnDuty: duty.now(owner, 0).isOnDuty
    })),
    onFault
  })
  const checks = openChecks({ ...parts, agents, talk: conversations.talk })
  const learnt = sqliteLearningStore(parts)
  const learning = { store: learnt, ...suggesting({ store: learnt, worker, conversations }) }
  const feeds = openFeeds({
    ...parts, knowledge, checks, learning, allowedHosts: config.ALLOWED_HOSTS, folders: config.FOLDERS
  })
  const outward = openOutward({
    ...parts,
    checks,
    feeds,
    business,
    config,
    outbox,
    senders,
    conversations,
    duty,
    knowledge,
    agentOf,
    renameInAgents: agents.renameProvider,
    log,
    onFault
  })
  workOnHandoffs(worker, conversations, duty)
  workOnActions({ worker, announcements, conversations }, actions)
  workOnWords(worker, db, conversations)
  workOnLooseFiles(worker, clock, conversations.attachments)
  followUp({
    ...parts,
    business,
    outbox,
    senders,
    hasConsented,
    unasked: outward.tickets.unasked,
    conversations,
    agentOf,
    onFault
  })
  const shared = mailShare({ clock, tierOf: tiersIn(db), limits: config.MAIL_LIMITS })
  for (const channel of [MAIL, FOLLOW_UP_MAIL]) {
    if (senders[channel]) senders[channel] = shared(senders[channel])
  }
  const notes = sqliteNoteStore({ ...parts, tell: conversations.tell })
  const configAsCode = openConfig({
    ...parts,
    store: sqliteConfigStore(parts),
    agents,
    knowledge,
    actions,
    checks,
    business,
    webhooks: outward.webhooks,
    sealChat: outward.sealChat,
    audit,
    model: defaultModelOf(config)
  })
  const privacy = openPrivacy({
    ...parts,
    conversations,
    tickets: outward.tickets.store,
    blobs: knowledge.blobs,
    plan: backupPlan(config),
    more: [...exported(notes, outward.tickets.store), exportedCalls(actions)],
    sent: [modelHosts, outward.hosts, actionHosts(actions)]
  })
  return {
    access: sqliteAccessStore(parts),
    audit,
    business,
    revisions,
    signIn: sqliteSignInStore({ ...parts, mails }),
    passkeys: sqlitePasskeyStore(parts),
    team: sqliteTeamStore({ ...parts, mails, forgetDuty: duty.forget }),
    agents,
    knowledge,
    conversations,
    widget: sqliteWidgetStore(parts),
    privacy,
    duty,
    notes,
    seen: sqliteSeenStore(parts),
    lookers: openLookers(clock, (owner) => notifier.notify(inboxOf(owner))),
    replies: sqliteReplyStore(parts),
    configAsCode,
    analytics: sqliteAnalyticsStore(parts),
    checks,
    feeds,
    learning,
    actions,
    models,
    modelProviders,
    notifier,
    announcements,
    jobs: jobs.queue,
    outbox,
    deliveries: outward.deliveries,
    webhooks: outward.webhooks,
    sealChat: outward.sealChat,
    tickets: outward.tickets,
    push: outward.push,
    senders,
    async work (onFault, log) {
      // Those who hear of faults and warnings, now that there is somebody.
      Object.assign(told, { onFault, log })
      await outward.prepare(log)
      await modelProviders.reseal().catch((error) => log?.warn({}, error.message))
      const wiping = await knowledge.work(onFault, log)
      if (hasUnversioned()) await jobs.queue.ask([FIRST_VERSIONS])
      await actions.runner.recover()
      if (db.read(() => conversations.words.hasUnindexed())) await jobs.queue.ask([INDEXING])
      worker.start(onFault)
      await feeds.work(onFault)
      await conversations.talk.resumeAll()
      return {
        async stop () {
          await worker.stop()
          feeds.close()
          await wiping.stop()
          await actions.close()
          await outward.close()
        },
        async settled () {
          await worker.idle()
          await wiping.settled()
        }
      }
    },
    secrets,
    vault: parts.vault,
    db,
    space,
    announce,
    close
  }
}

/**
 * What an export of a visitor holds beside what was said: of each conversation, and tickets that belong to none and
 * have their address.
 */
function exported (notes: NoteStore, tickets: Outward['tickets']['store']): MoreOf[] {
  return [
    {
      name: 'notes',
      of: async (owner, about) => 'conversation' in about ? await notes.list(owner, about.conversation.id) ?? [] : []
    },
    {
      name: 'tickets',
      async of (owner, about) {
        if ('conversation' in about) {
          const ofConversation = { conversation: about.conversation.id }
          return (await tickets.list(owner, ofConversation, undefined, TICKETS_EXPORTED)).items
        }
        const { agent, email } = about.visitor
        const found = email === null ? [] : await tickets.ofPerson(owner, agent, email)
        const kept = await Promise.all(found.map(async (id) => await tickets.get(owner, id)))
        return kept.flatMap((one) => one ? [shownTicket(one)] : [])
      }
    }
  ]
}

function backupPlan ({ BACKUP_EVERY, BACKUP_KEEP }: Config): BackupPlan {
  return BACKUP_EVERY ? { everyMs: durationMs(BACKUP_EVERY), keep: BACKUP_KEEP } : null
}

/** What an operator decided about knowledge. */
export function knowledgeSettings (config: Config): KnowledgeSettings {
  return {
    limits: {
      training: (tier) => config.TRAINING_LIMITS[tier],
      storage: (tier) => config.STORAGE_LIMITS[tier],
      agents: config.AGENT_LIMITS
    },
    fileLimit: config.UPLOAD_MIB * 2 ** 20,
    allowedHosts: config.ALLOWED_HOSTS,
    googleAccount: config.GOOGLE_SERVICE_ACCOUNT || null,
    recognition: recognitionCommand(config.OCR),
    embedder: config.EMBEDDINGS_URL
      ? {
          url: config.EMBEDDINGS_URL,
          model: config.EMBEDDINGS_MODEL,
          apiKey: config.EMBEDDINGS_KEY || null,
          dimensions: config.EMBEDDINGS_DIMENSIONS
        }
      : null,
    userAgent: `Agenthall/${VERSION}`
  }
}

/** The language model of agents for which none is asked. */
export function defaultModelOf ({ RESPONSE_MODEL, DISPLAY_MODEL }: Config) {
  return { response_model: RESPONSE_MODEL, display_model: DISPLAY_MODEL || displayName(RESPONSE_MODEL) }
}
