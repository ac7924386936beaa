import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { users } from '../schema/sqlite/access.ts'
import { sqliteBusinessStore, type BusinessStore } from './business/index.ts'
import {
  linkMails, signInRows, sqliteAccessStore, sqlitePasskeyStore, sqliteSignInStore, standingOf, type AccessStore,
  type PasskeyStore, type SignInStore
} from './access/index.ts'
import { sqliteAgentStore, trainingBytesFaults, type AgentStore } from './agents/index.ts'
import type { Tier } from '../schema/plans.ts'
import { sqliteTeamStore, type TeamStore } from './team/index.ts'
import { featuresOf } from './plans/index.ts'
import { backup } from './platform/storage/sqlite/backup.ts'
import { inspect, rollBack, sizeOf, type Accounting } from './platform/storage/sqlite/check.ts'
import { ATTACHED, damagedAttachments, openConversations, type Conversations } from './conversations/index.ts'
import type { Clock } from './platform/clock.ts'
import { readConfig, type Config } from './config.ts'
import { recognitionCommand } from './reading/recognition.ts'
import {
  damageIn, openKnowledge, storedBytesFaults, type Knowledge, type Log, type KnowledgeSettings
} from './sources/index.ts'
import { openDatabase, refusalOf, type Database, type DatabaseOptions } from './platform/storage/sqlite/database.ts'
import { Refusal } from './platform/errors.ts'
import { keepNewest, stamp } from './platform/files.ts'
import { onceOnly } from './platform/storage/sqlite/once.ts'
import { takeLock, type Lock } from './platform/storage/sqlite/lock.ts'
import { beginFile, knownMigrations, migrate, type Migration } from './platform/storage/sqlite/migrate.ts'
import { fileRefusal, giveToOwnerOf, makeDirectory, whyNot } from './platform/paths.ts'
import { commandLine } from './platform/process/command-line.ts'
import { tidyUp } from './platform/storage/sqlite/restore.ts'
import { followUp, followUpsIn } from './follow-ups/index.ts'
import { sqliteAnalyticsStore, type AnalyticsStore } from './analytics/index.ts'
import { sqliteLearningStore, suggesting, type Learning } from './learning/index.ts'
import {
  handsOf, sqliteDutyStore, sqliteNoteStore, workOnHandoffs, type DutyStore, type NoteStore, type Table
} from './handoff/index.ts'
import {
  offersFrom, openModels, sqliteModelProviderStore, type ModelProviderStore, type Models
} from './models/index.ts'
import { lazily } from './platform/lazily.ts'
import { hasConsented, openPrivacy, type BackupPlan, type MoreOf, type Privacy, type Sent } from './privacy/index.ts'
import { durationMs } from './platform/storage/sqlite/scheduled-backups.ts'
import { revisionsOf, type Revisions } from './platform/storage/sqlite/revisions.ts'
import type { Secrets } from './platform/storage/secrets.ts'
import { jobsIn } from './platform/storage/sqlite/jobs.ts'
import { outboxIn } from './platform/storage/sqlite/outbox.ts'
import type { JobQueue } from './platform/work/jobs.ts'
import type { Vault } from './platform/storage/vault.ts'
import type { Deliveries } from './deliveries/index.ts'
import { openOutward, sendsMail, vaultOf, type Outward } from './outward.ts'
import { shownTicket, type Tickets } from './tickets/index.ts'
import type { WebhookStore } from './webhooks/index.ts'
import { secretsIn } from './platform/storage/sqlite/secrets.ts'
import { openAnnouncements, type Announcements } from './platform/work/announcements.ts'
import { openNotifier, type Notifier } from './platform/work/notifier.ts'
import type { OutboxStore, Sender } from './platform/work/outbox.ts'
import { openWorker, type OnFault } from './platform/work/worker.ts'
import { VERSION } from './version.ts'
import { sqliteWidgetStore, type WidgetStore } from './widget/index.ts'
import { watchSpace, type Space } from './platform/storage/sqlite/space.ts'

/** How long a command that must upgrade the file waits for another that does so. */
const UPGRADE_PATIENCE_MS = 1500
const SNAPSHOTS_KEPT = 3
/** Tickets of one conversation in an export, at most. */
const TICKETS_EXPORTED = 1000

/** Everything that is kept, behind contracts that name no database. */
export interface Stores {
  access: AccessStore
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
  /** Who is there for visitors, and what people note on conversations. */
  duty: DutyStore
  notes: NoteStore
  models: Models
  /** Of models, those that accounts bring themselves. */
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
  /** What is to leave the house. */
  outbox: OutboxStore
  /** The same as its owners see it. */
  deliveries: Deliveries
  /** Where accounts want to be told of what happens. */
  webhooks: WebhookStore
  /** Seals the address of a team's chat for the settings of its account. */
  sealChat: Outward['sealChat']
  tickets: Tickets
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
export interface StoresOptions extends Omit<DatabaseOptions, 'file' | 'space'> {
  /** The settings; the defaults without it. */
  config?: Config
  /** Where the data is; the setting's directory without it. */
  directory?: string
  clock: Clock
  /** This process serves: it has the directory to itself until it ends, and keeps room on the disk. */
  serving?: boolean
  /**
   * Whether to begin a new installation where there is none, as is done without it. A mistyped directory must not
   * become one.
   */
  begin?: boolean
  /** Bytes to keep free and bytes of ballast. */
  room?: { floor?: number, ballast?: number }
  known?: Migration[]
  /** Who speaks in conversations. */
  table?: Table | undefined
}

/** The file in a data directory that everything is in. */
export function dataFile (directory: string): string {
  return path.join(path.resolve(directory), 'agenthall.db')
}

/** Whether the sums in a file agree. */
export const sums: Accounting = (raw) => [...trainingBytesFaults(raw), ...storedBytesFaults(raw, [ATTACHED])]

/** Whether they do, and everything that is stored can be opened: for backup, restore and a thorough doctor. */
export const accounting: Accounting = (raw) => [...sums(raw), ...damageIn(raw, damagedAttachments(raw))]

/**
 * Opens the stores of a data directory, making and upgrading the file as needed. The one place that chooses the
 * database. Refuses, with the file as it was: `not_found` when there is none to open and none is to be made; `conflict`
 * when another process serves (and this one wants to, or must upgrade), when the file is not ours or too new, or when
 * the directory cannot be used; `unavailable` when it is damaged.
 */
export async function openStores ({
  config = readConfig({}), directory = config.DATA, clock, serving = false, begin = true, room = {},
  known = knownMigrations(), table, ...options
}: StoresOptions): Promise<Stores> {
  const file = dataFile(directory)
  if (begin) makeDirectory(directory)
  else mustBeThere(file)
  const lock = lockFor(directory, file, serving, known)
  let db: Database | undefined
  try {
    const space = serving ? watchSpace({ directory, ...room }) : undefined
    if (lock) prepare(file, lock, known)
    if (serving) lock?.mark()
    db = openDatabase({ file, ...options, ...(space && { space }) })
    if (lock) await upgrade(db, clock, known)
    if (!serving) lock?.release()
    return storesOn(config, db, clock, space, serving ? lock : undefined, table)
  } catch (error) {
    db?.raw.close()
    lock?.release({ clean: false })
    throw fileRefusal(error) ?? refusalOf(error)
  }
}

/**
 * Refuses with `not_found`, saying where was looked, when a data file is not there: its directory may have been
 * mistyped.
 */
export function mustBeThere (file: string) {
  const directory = path.dirname(file)
  if (existsSync(file) || existsSync(`${file}-wal`)) return
  const reason = (existsSync(directory) ? whyNot(file, 'read') : whyNot(directory, 'read')) ?? ''
  throw new Refusal(
    'not_found',
    `There is no Agenthall data in ${directory}. ${reason} Say with --data or AGENTHALL_DATA where it is; "${commandLine('serve')}" begins a new installation.`
  )
}

function storesOn (
  config: Config, db: Database, clock: Clock, space: Space | undefined, lock: Lock | undefined,
  table: Table | undefined
): Stores {
  const revisions = revisionsOf(db, users)
  const notifier = openNotifier(() => db.generation())
  const announcements = openAnnouncements()
  const jobs = jobsIn(db, clock)
  const worker = openWorker({ queue: jobs.queue, clock })
  const outbox = outboxIn(db, clock, jobs)
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
  const knowledge = openKnowledge({ ...parts, settings: knowledgeSettings(config) })
  const told: Told = {}
  const { models, modelProviders, hosts: modelHosts } = modelsOn(config, parts, lock !== undefined, told)
  const agents = sqliteAgentStore(parts)
  const business = sqliteBusinessStore(parts)
  const duty = sqliteDutyStore({ ...parts, business, onFault: (error) => told.onFault?.(error) })
  const conversations = openConversations({
    ...parts,
    agentOf: async (owner, id) => (await agents.get(owner, id))?.agent,
    peersOf: peersIn(agents),
    search: knowledge.search,
    blobs: knowledge.blobs,
    storageLimit: (tier) => config.STORAGE_LIMITS[tier],
    models,
    hands: handsOf({ duty, business, clock, isFollowedUp: followUpsIn(db), table }),
    allowanceOf: allowancesIn(db, config),
    thresholds: { sure: config.ANSWER_SURE, maybe: config.ANSWER_MAYBE },
    onFault: (error) => told.onFault?.(error),
    onNone: (agent, why) => told.log?.warn({ agent }, why)
  })
  const outward = openOutward({
    ...parts,
    business,
    config,
    outbox,
    senders,
    conversations,
    knowledge,
    agentOf: async (owner, id) => (await agents.get(owner, id))?.agent,
    log: { info: (...line) => told.log?.info(...line), warn: (...line) => told.log?.warn(...line) },
    onFault: (error) => told.onFault?.(error)
  })
  workOnHandoffs(worker, conversations, duty)
  followUp({
    ...parts,
    business,
    outbox,
    senders,
    hasConsented,
    unasked: outward.tickets.unasked,
    conversations,
    agentOf: async (owner, id) => (await agents.get(owner, id))?.agent,
    onFault: (error) => told.onFault?.(error)
  })
  const notes = sqliteNoteStore({ ...parts, tell: conversations.tell })
  const learnt = sqliteLearningStore(parts)
  const privacy = openPrivacy({
    ...parts,
    conversations,
    tickets: outward.tickets.store,
    blobs: knowledge.blobs,
    plan: backupPlan(config),
    more: exported(notes, outward.tickets.store),
    sent: [modelHosts, outward.hosts]
  })
  return {
    access: sqliteAccessStore(parts),
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
    analytics: sqliteAnalyticsStore(parts),
    learning: { store: learnt, ...suggesting({ store: learnt, conversations }) },
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
    senders,
    async work (onFault, log) {
      Object.assign(told, { onFault, log })
      await outward.prepare(log)
      await modelProviders.reseal().catch((error) => log?.warn({}, error.message))
      const wiping = await knowledge.work(onFault, log)
      worker.start(onFault)
      await conversations.talk.resumeAll()
      return {
        async stop () {
          await worker.stop()
          await wiping.stop()
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
    close () {
      db.close()
      lock?.release()
    }
  }
}

function modelsOn (
  config: Config, parts: Parameters<typeof sqliteModelProviderStore>[0], serving: boolean, told: Told
) {
  const modelProviders = sqliteModelProviderStore(parts)
  const offers = lazily(() =>
    offersFrom({
      openaiKey: config.OPENAI_KEY,
      anthropicKey: config.ANTHROPIC_KEY,
      url: config.MODEL_URL,
      urlKey: config.MODEL_KEY,
      file: config.MODELS
    })
  )
  // A list that cannot be read is told at the start of the server, not to the first visitor.
  if (serving) offers()
  const models = openModels({
    offers,
    providers: modelProviders,
    now: () => parts.clock.monotonic(),
    userAgent: `Agenthall/${VERSION}`,
    isRedacting: config.MODEL_REDACT,
    load: { atOnce: config.MODEL_ANSWERS, perHolder: config.MODEL_ANSWERS_PER_ACCOUNT },
    onFailure: ({ code, detail }, { name, provider }) =>
      told.log?.warn({ model: name, provider: provider.id, code, detail }, 'a language model failed')
  })
  const hosts = async (owner: number): Promise<Sent[]> => [
    ...[
      ...offers().map(({ provider }) => provider.url), ...(await modelProviders.list(owner)).map(({ url }) => url)
    ].map((url) => ({ url, purpose: 'answers' as const })),
    ...(config.EMBEDDINGS_URL ? [{ url: config.EMBEDDINGS_URL, purpose: 'search' as const }] : [])
  ]
  return { models, modelProviders, hosts }
}

/** Agents that one may pass a conversation on to, named to a model. */
const MOST_PEERS = 20

/** Other agents of an account that take conversations from their likes. */
function peersIn (agents: AgentStore) {
  return async (owner: number, but: readonly number[]) => {
    const all = await agents.slice(owner, { status: 'Active' }, 0, MOST_PEERS * 5)
    return all
      .map(({ agent }) => agent)
      .filter(({ id, behavior }) => behavior.aiToAiHandoff && !but.includes(id))
      .slice(0, MOST_PEERS)
  }
}

/** Who hears of faults and warnings, once there is somebody. */
interface Told { onFault?: OnFault, log?: Log | undefined }

/** What an account's tier lets its agents use of models. */
function allowancesIn (db: Database, { DAILY_TOKENS, DAILY_AGENT_TOKENS }: Config) {
  const tierOf = db.raw.prepare<[number], Tier>('select tier from users where id = ?').pluck()
  return (owner: number) => {
    const tier = db.read(() => tierOf.get(owner)) ?? 'free'
    return {
      hasPremium: featuresOf(tier).PREMIUM_MODELS,
      daily: { account: DAILY_TOKENS[tier] ?? 0, agent: DAILY_AGENT_TOKENS[tier] ?? 0 }
    }
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
    limits: { training: (tier) => config.TRAINING_LIMITS[tier], storage: (tier) => config.STORAGE_LIMITS[tier] },
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

/** The lock while nobody serves; undefined beside a running server, which has looked at the file and upgraded it. */
function lockFor (directory: string, file: string, serving: boolean, known: Migration[]): Lock | undefined {
  const lock = takeLock(directory, serving ? {} : { patienceMs: 0 })
  if (lock) return lock
  if (serving) {
    throw new Refusal(
      'conflict',
      `Another Agenthall is using the data directory ${path.resolve(directory)}. Stop it first, or choose another directory with --data.`
    )
  }
  if (inspect(file, { known })?.version === known.length) return undefined
  const later = takeLock(directory, { patienceMs: UPGRADE_PATIENCE_MS })
  if (later) return later
  throw new Refusal(
    'conflict',
    'The data file needs an upgrade, and an older program is serving it. Stop that server, then try again.'
  )
}

/** What is done to a data file before it is opened for writing. */
function prepare (file: string, lock: Lock, known: Migration[]) {
  tidyUp(file)
  rollBack(file)
  inspect(file, { thorough: lock.unclean !== 0 || sizeOf(`${file}-wal`) > 0, known })
  if (!existsSync(file)) beginFile(file)
}

/** Brings the file to the newest version; a copy of it as it was is kept in `snapshots`. */
async function upgrade (db: Database, clock: Clock, known: Migration[]) {
  const folder = path.join(path.dirname(db.file), 'snapshots')
  let taken: string | undefined
  try {
    await migrate(db.raw, {
      known,
      async snapshot (version) {
        makeDirectory(folder)
        const to = path.join(folder, `${stamp(clock.micros())}-before-v${version + 1}.db`)
        await backup({ file: db.file, to, accounting: () => [], known })
        for (const made of [folder, to]) giveToOwnerOf(path.dirname(db.file), made)
        taken = to
      }
    })
  } catch (error) {
    // The file is as it was, so the copy is one too many.
    if (taken) rmSync(taken)
    throw error
  }
  if (taken) keepNewest(folder, /^\d+T\d+Z-before-v\d+\.db$/, SNAPSHOTS_KEPT)
}
