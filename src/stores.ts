import type { Id } from '../schema/common.ts'
import type { Tier } from '../schema/plans.ts'
import { users } from '../schema/sqlite/access.ts'
import {
  linkMails, namesIn, signInRows, sqliteAccessStore, sqlitePasskeyStore, sqliteSignInStore,
  type AccessStore, type PasskeyStore, type SignInStore
} from './access/index.ts'
import { actingWith, actionHosts, exportedCalls, openActions, workOnActions, type Actions } from './actions/index.ts'
import { displayName, FIRST_VERSIONS, sqliteAgentStore, workOnVersions, type AgentStore } from './agents/index.ts'
import { knownOfPersons, openAfterwards } from './afterwards.ts'
import { sqliteAnalyticsStore, type AnalyticsStore } from './analytics/index.ts'
import { openAnswering } from './answering.ts'
import { forgetEvents, sqliteAuditStore, type AuditStore } from './audit/index.ts'
import { openChecks, type Checks } from './checks/index.ts'
import { sqliteBusinessStore, type BusinessStore } from './business/index.ts'
import { readConfig, usualAddress, type Config } from './config.ts'
import { inboxOf, INDEXING, workOnAnswers, workOnLooseFiles, workOnWords, type Conversations } from './conversations/index.ts'
import { openDataFile, type DataFileOptions } from './data-file.ts'
import { mailShare, type Deliveries } from './deliveries/index.ts'
import { openFeeds, type Feeds } from './feeds/index.ts'
import { followUpsIn } from './follow-ups/index.ts'
import { openImports, sqliteImportStore, type Imports } from './imports/index.ts'
import {
  exportedNotes, exportedSeen,
  handoffPolicy, namedToVisitors, openLookers, sqliteDutyStore, sqliteNoteStore, sqliteSeenStore, teamHandsIn,
  workOnHandoffs,
  type DutyStore, type Lookers, type NameForVisitors, type NoteStore, type SeenStore, type Table
} from './handoff/index.ts'
import { sqliteLearningStore, suggesting, type Learning } from './learning/index.ts'
import { sqliteGrantStore, type ClientOf, type GrantStore } from './mcp/index.ts'
import type { ModelProviderStore, Models, Trial } from './models/index.ts'
import type { PushStore } from './notifications/index.ts'
import { openConfig, sqliteConfigStore, type Config as ConfigAsCode } from './config-as-code/index.ts'
import type { ReviewStore } from './reviews/index.ts'
import { exportedSatisfaction, type Linked, type SatisfactionStore } from './satisfaction/index.ts'
import { sqliteReplyStore, type ReplyStore } from './replies/index.ts'
import { openOutward, sendsMail, type Outward } from './outward.ts'
import { alone } from './platform/neighbours/alone.ts'
import type { Neighbours } from './platform/neighbours/contract.ts'
import { whileLeading } from './platform/neighbours/leading.ts'
import { redisNeighbours } from './platform/neighbours/redis.ts'
import { sealedWith } from './platform/neighbours/sealed.ts'
import { audited } from './platform/storage/audit.ts'
import { timestamp, type Clock } from './platform/clock.ts'
import { changesOf } from './platform/storage/changes.ts'
import type { Secrets } from './platform/storage/secrets.ts'
import { openPostgres } from './platform/storage/postgres/open.ts'
import type { Database, SqliteDatabase } from './platform/storage/sqlite/database.ts'
import { jobsIn, type Jobs } from './platform/storage/sqlite/jobs.ts'
import { idempotencyIn } from './platform/storage/sqlite/idempotency.ts'
import { outboxIn } from './platform/storage/sqlite/outbox.ts'
import { revisionsOf, type Revisions } from './platform/storage/sqlite/revisions.ts'
import { durationMs } from './platform/storage/sqlite/scheduled-backups.ts'
import { secretsIn } from './platform/storage/sqlite/secrets.ts'
import type { Space } from './platform/storage/sqlite/disk/space.ts'
import type { OpenTables } from './platform/storage/tables.ts'
import { vaultIn, type Vault } from './platform/storage/vault.ts'
import { openEventBus, type EventBus } from './platform/work/event-bus.ts'
import type { JobQueue } from './platform/work/jobs.ts'
import { openNotifier, type Notifier } from './platform/work/notifier.ts'
import type { OutboxStore, Sender } from './platform/work/outbox.ts'
import { openWorker, type OnFault, type Worker } from './platform/work/worker.ts'
import { tiersIn } from './plans/index.ts'
import { hidingAbout, openPrivacy, type BackupPlan, type Privacy } from './privacy/index.ts'
import { recognitionCommand } from './reading/recognition.ts'
import { openKnowledge, type Knowledge, type Log, type KnowledgeSettings, type Outside } from './sources/index.ts'
import { sqliteTeamStore, type TeamStore } from './team/index.ts'
import { exportedTickets, type Tickets } from './tickets/index.ts'
import { VERSION } from './version.ts'
import type { WebhookStore } from './webhooks/index.ts'
import { sqliteWidgetStore, type WidgetStore } from './widget/index.ts'

/** Everything that is stored, behind contracts that name no database. */
export interface Stores<D extends Database = Database> {
  access: AccessStore
  /** What was done in each account, and by whom. */
  audit: AuditStore
  /** Settings of accounts that apply to all their agents. */
  business: BusinessStore
  signIn: SignInStore
  passkeys: PasskeyStore
  /** Who acts for an account. */
  team: TeamStore
  agents: AgentStore
  knowledge: Knowledge
  conversations: Conversations
  /** Keys for embedding agents in sites. */
  widget: WidgetStore
  privacy: Privacy
  /** Daily sums of what agents did. */
  analytics: AnalyticsStore
  /** What agents could learn. */
  learning: Learning
  /** Test questions of agents, and their runs. */
  checks: Checks
  /** Where agents' knowledge comes from and how it is kept up to date. */
  feeds: Feeds
  /** Who is available to visitors, and what people note on conversations and have seen of them. */
  duty: DutyStore
  notes: NoteStore
  seen: SeenStore
  lookers: Lookers
  /** The name that visitors see for the person who answers them. */
  nameForVisitors: NameForVisitors
  /** What agents can do in other systems, and what they did. */
  actions: Actions
  replies: ReplyStore
  /** Answers that a person should look at. */
  reviews: ReviewStore
  /** How satisfied visitors were; `linked`: what a link in a mail leads to. */
  satisfaction: SatisfactionStore & { linked (id: string): Promise<Linked | undefined> }
  /** The account as files (configuration as code). */
  configAsCode: ConfigAsCode
  /** Exports from other products. */
  imports: Imports
  models: Models
  /** Model providers that accounts configure themselves. */
  modelProviders: ModelProviderStore
  /** Which models answer, and trying them. */
  trial: Trial
  /** The other processes that serve, and what is counted together with them. */
  neighbours: Neighbours
  /** Whether this process does the work that only one of the serving processes does. */
  leads: () => boolean
  /** Wakes those who wait for news. */
  notifier: Notifier
  /** Notifies features of what others did, in the same transaction. */
  eventBus: EventBus
  /** Which lists of an account are unchanged and may be reused. */
  revisions: Revisions
  /**
   * Starts the background work; only in the one process that works on the file. `onFault` is called with unexpected
   * errors.
   */
  work (onFault: OnFault, log?: Log): Promise<Background>
  /** Work to be done in the background. */
  jobs: JobQueue
  /** Outgoing messages, durably queued (outbox). */
  outbox: OutboxStore
  /** The outbox as shown to its account. */
  deliveries: Deliveries
  /** Webhooks: where accounts want to be notified of events. */
  webhooks: WebhookStore
  /** Seals the address of a team's chat for the settings of its account. */
  sealChat: Outward['sealChat']
  /** Assistants that people have granted access: which ones, and who they are. */
  assistants: { grants: GrantStore, clientOf: ClientOf }
  tickets: Tickets
  /** Browsers that receive push messages. */
  push: PushStore
  /** Senders by channel; features add theirs before `work`. */
  senders: Record<string, Sender>
  /** Seals texts. */
  secrets: Secrets
  /** Seals the secrets of other services. */
  vault: Vault
  /** For work on the tables themselves: readiness, backup, doctor. */
  db: D
  /** Free disk space; watched only by the process that serves. */
  space: Space | undefined
  /** Publishes where this process serves, and with what, to commands that run meanwhile. */
  announce: OpenTables['announce']
  close (): void
}

/**
 * How often the leading process takes up what dead processes have left, and the silence after which a call of an action
 * counts as left: longer than any may take, and than clocks may differ.
 */
const RECOVERY_MS = 30_000
const QUIET_MICROS = 15 * 60 * 1e6

/** The running background work. */
export interface Background {
  /** Stops; unfinished work is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due or running, and deleted data is wiped. */
  settled (): Promise<void>
}

/** How to open the stores. All but the first three differ from their defaults only in tests and in the benchmark. */
export interface StoresOptions extends Omit<DataFileOptions, 'directory'> {
  /** The settings; defaults if omitted. */
  config?: Config
  /** Where the data is; the setting's directory if omitted. */
  directory?: string
  /** Overrides the hand-off state machine; tests only. */
  table?: Table | undefined
  /** Overrides for fetching and parsing sources; tests only. */
  outside?: Partial<Outside>
}

/**
 * Opens the stores of a data directory, creating and upgrading the file as needed. The one place that chooses the
 * database. Refuses as `openDataFile` does, with the file as it was; also with `invalid_request` when a list of models
 * cannot be read.
 */
export async function openStores (
  { config = readConfig({}), directory = config.DATA, table, outside = {}, ...options }: StoresOptions
): Promise<Stores> {
  const chosen = { ...options, table, outside }
  if (config.DATABASE === '') return await openFileStores({ config, directory, ...chosen })
  const isShared = options.serving === true && config.REDIS !== ''
  return await openPostgres(
    { ...options, shared: isShared, directory, address: config.DATABASE },
    (opened) => {
      const neighbours = isShared ? neighboursOf(config, opened, options) : alone(options.clock)
      return storesOn(config, opened, { ...chosen, neighbours })
    }
  )
}

/** Stores whose tables are in a data file. */
export type FileStores = Stores<SqliteDatabase>

/** The same, always in the directory's data file, whatever the settings say. */
export async function openFileStores (
  { config = readConfig({}), directory = config.DATA, ...options }: StoresOptions
): Promise<FileStores> {
  return await openDataFile({ ...options, directory }, (opened) => storesOn(config, opened, options))
}

/** The other processes that serve the same tables, connected through Redis. */
const neighboursOf = (
  config: Config, { db, fingerprint, installation, changed }: OpenTables, { clock }: StoresOptions
) => redisNeighbours({
  address: config.REDIS, installation, sealing: sealedWith(vaultIn(db.directory, fingerprint)), clock, onAway: changed
})

function storesOn<D extends Database> (
  config: Config, { db: plain, space, fingerprint, announce, leads, close }: OpenTables<D>,
  { clock, serving = false, table, outside = {}, neighbours = alone(clock) }:
  Pick<StoresOptions, 'clock' | 'serving' | 'table' | 'outside'> & { neighbours?: Neighbours }
): Stores<D> {
  const audit = sqliteAuditStore({ db: plain, clock })
  const db = audited(plain, audit)
  const [revisions, jobs] = [revisionsOf(db, users, neighbours), jobsIn(db, clock, neighbours)]
  const [notifier, eventBus] = [openNotifier(() => db.generation(), neighbours), openEventBus()]
  const worker = openWorker({ queue: jobs.queue, clock })
  forgetEvents(worker, { db, clock, days: config.AUDIT_DAYS })
  const known = knownOfPersons(db)
  const outbox = outboxIn(db, clock, jobs, hidingAbout(db, { agents: known.persons.agents, keeps: known.keeps }))
  const [senders, secrets]: [Record<string, Sender>, Secrets] = [{}, secretsIn(db)]
  const parts = {
    db,
    clock,
    vault: vaultIn(plain.directory, fingerprint),
    secrets,
    revisions,
    idempotency: idempotencyIn(db, clock),
    notifier,
    eventBus,
    jobs,
    worker,
    // Caches of callers are dropped when a key, session, member or user changes.
    standing: changesOf(db, neighbours, 'standing'),
    neighbours,
    rows: signInRows({ db, clock })
  }
  const mails = linkMails(outbox, sendsMail(config))
  const knowledge = openKnowledge({ ...parts, leads, settings: knowledgeSettings(config), outside })
  const observers: { onFault?: OnFault, log?: Log | undefined } = {}
  const onFault = (error: unknown) => observers.onFault?.(error)
  const log: Log = { info: (...line) => observers.log?.info(...line), warn: (...line) => observers.log?.warn(...line) }
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
  const { conversations, models, modelProviders, trial, hosts: modelHosts } = openAnswering({
    ...parts,
    config,
    serving,
    log,
    agents,
    agentOf,
    draftOf,
    knowledge,
    handoff: handoffPolicy({ duty, business, clock, isFollowedUp: followUpsIn(db), nameOf: namesIn(db), table }),
    acting: actingWith(actions),
    momentOf: async (owner) =>
      ({ business: await business.get(owner), micros: clock.micros(), isOnDuty: await duty.isAnybodyOn(owner) }),
    onFault
  })
  const checks = openChecks({ ...parts, agents, talk: conversations.talk })
  const learnt = sqliteLearningStore(parts)
  const learning = { store: learnt, ...suggesting({ store: learnt, worker, conversations }) }
  const feeds = openFeeds({
    ...parts, business, knowledge, checks, learning, allowedHosts: config.ALLOWED_HOSTS, folders: config.FOLDERS
  })
  const importStore = sqliteImportStore({ ...parts, blobs: knowledge.blobs, storageLimit: storageLimitOf(config) })
  const outward = openOutward({
    ...parts,
    checks,
    feeds,
    imports: importStore,
    business,
    config,
    outbox,
    senders,
    conversations,
    duty,
    knowledge,
    agentOf,
    agents,
    log,
    onFault
  })
  workOn({ ...parts, conversations, duty }, actions)
  const { satisfaction, reviews } = openAfterwards({
    ...parts,
    business,
    outbox,
    senders,
    unasked: outward.tickets.unasked,
    conversations,
    agentOf,
    onFault,
    address: () => usualAddress(config),
    share: mailShare({ db, clock, tierOf: tiersIn(db), limits: config.MAIL_LIMITS })
  })
  const [notes, seen] = [sqliteNoteStore({ ...parts, tell: conversations.tell }), sqliteSeenStore(parts)]
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
  const imports = openImports({ store: importStore, config: configAsCode, worker, blobs: knowledge.blobs })
  const privacy = openPrivacy({
    ...parts,
    ...known,
    conversations,
    tickets: outward.tickets.store,
    blobs: knowledge.blobs,
    plan: backupPlan(config),
    more: exportersOf({ notes, seen, actions, satisfaction }, outward),
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
    nameForVisitors: namedToVisitors({ db, business, nameOf: namesIn(db) }),
    privacy,
    duty,
    notes,
    seen,
    lookers: openLookers(clock, neighbours, (owner) => notifier.notify(inboxOf(owner))),
    replies: sqliteReplyStore(parts),
    satisfaction,
    reviews,
    configAsCode,
    imports,
    analytics: sqliteAnalyticsStore(parts),
    checks,
    feeds,
    learning,
    actions,
    models,
    modelProviders,
    trial,
    neighbours,
    leads,
    notifier,
    eventBus,
    jobs: jobs.queue,
    outbox,
    deliveries: outward.deliveries,
    webhooks: outward.webhooks,
    sealChat: outward.sealChat,
    assistants: { grants: sqliteGrantStore({ ...parts, audit }), clientOf: outward.clientOf },
    tickets: outward.tickets,
    push: outward.push,
    senders,
    work: backgroundOf({
      ...parts, observers, outward, modelProviders, knowledge, hasUnversioned, conversations, actions, feeds, leads
    }),
    secrets,
    vault: parts.vault,
    db,
    space,
    announce,
    close () {
      neighbours.close()
      close()
    }
  }
}

/** Starts the background work, see Stores. */
function backgroundOf ({
  observers, outward, modelProviders, knowledge, hasUnversioned, conversations, actions, feeds, ...parts
}: {
  db: Database
  clock: Clock
  jobs: Jobs
  worker: Worker
  neighbours: Neighbours
  leads: () => boolean
  /** Receivers of faults and warnings, once there are any. */
  observers: { onFault?: OnFault, log?: Log | undefined }
  outward: Outward
  modelProviders: ModelProviderStore
  knowledge: Knowledge
  hasUnversioned: () => Promise<boolean>
  conversations: Conversations
  actions: Actions
  feeds: Feeds
}): Stores['work'] {
  const { db, jobs, worker } = parts
  return async (onFault, log) => {
    Object.assign(observers, { onFault, log })
    await outward.prepare(log)
    await modelProviders.reseal().catch((error) => log?.warn({}, error.message))
    const wiping = await knowledge.work(onFault, log)
    if (await hasUnversioned()) await jobs.queue.ask([FIRST_VERSIONS])
    if (await db.read(() => conversations.words.hasUnindexed())) await jobs.queue.ask([INDEXING])
    await takeUp({ ...parts, conversations, actions, onFault })
    worker.start(onFault)
    await feeds.work(onFault)
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
  }
}

/**
 * Takes up what dead processes have left: a process that serves alone does so at its start, else the leading one does,
 * from time to time.
 */
async function takeUp (
  { clock, neighbours, leads, conversations: { talk }, actions: { runner }, onFault }: {
    clock: Clock
    neighbours: Neighbours
    leads: () => boolean
    conversations: Conversations
    actions: Actions
    onFault: OnFault
  }
) {
  if (neighbours.isAlone) {
    await runner.recover()
    await talk.resumeAll()
  } else {
    whileLeading({ leads, neighbours, clock, onFault }, RECOVERY_MS, async () => {
      await runner.recover(timestamp(clock.micros() - QUIET_MICROS))
      await talk.resumeAll()
    })
  }
}

/** Bytes that accounts may store, by their tier. */
const storageLimitOf = ({ STORAGE_LIMITS: limits }: Config) => (tier: Tier) => limits[tier]

/** Background work on conversations. */
function workOn (
  { db, clock, worker, eventBus, conversations, duty }: {
    db: Database
    clock: Clock
    worker: Worker
    eventBus: EventBus
    conversations: Conversations
    duty: DutyStore
  },
  actions: Actions
) {
  workOnHandoffs(worker, conversations, duty)
  workOnActions({ worker, eventBus, conversations }, actions)
  workOnWords(worker, db, conversations)
  workOnAnswers(worker, conversations.talk)
  workOnLooseFiles(worker, clock, conversations.attachments)
}

/** What an export of a visitor contains besides the conversations. */
const exportersOf = (
  { notes, seen, actions, satisfaction }: Pick<Stores, 'notes' | 'seen' | 'actions' | 'satisfaction'>, { tickets }: Outward
) => [
  exportedNotes(notes), exportedTickets(tickets.store), exportedCalls(actions), exportedSatisfaction(satisfaction),
  exportedSeen(seen)
]

function backupPlan ({ BACKUP_EVERY, BACKUP_KEEP }: Config): BackupPlan {
  return BACKUP_EVERY ? { everyMs: durationMs(BACKUP_EVERY), keep: BACKUP_KEEP } : null
}

/** Operator settings for knowledge. */
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

/** The default language model of agents. */
export function defaultModelOf ({ RESPONSE_MODEL, DISPLAY_MODEL }: Config) {
  return { response_model: RESPONSE_MODEL, display_model: DISPLAY_MODEL || displayName(RESPONSE_MODEL) }
}
