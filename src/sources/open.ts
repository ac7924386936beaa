import { changesOf } from '../platform/storage/changes.ts'
import { blobsIn, type Blobs } from '../platform/storage/sqlite/blobs.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Clock } from '../platform/clock.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { agentWriter } from '../agents/index.ts'
import type { AgentLimits } from '../plans/index.ts'
import { egress, type Egress } from '../platform/net/egress.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import { lazily } from '../platform/lazily.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import { openSandbox, openWarmSandbox, selfCommand, type Sandbox } from '../platform/process/sandbox.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { OnFault, Worker } from '../platform/work/worker.ts'
import type { Reading } from '../reading/apart.ts'
import { recognitionBy } from '../reading/recognition.ts'
import { googleDrive, type Drive } from '../crawling/drive.ts'
import { embedEverything } from './work/embed-everything.ts'
import type { Embedder } from '../search/vectors/embed.ts'
import { embeddingsFrom, type Log } from '../search/vectors/embeddings.ts'
import { sqlitePassages } from '../search/passages.sqlite.ts'
import { sqliteTopics, type Topics } from '../search/own/topics.sqlite.ts'
import type { Preview } from './work/preview.ts'
import { searcher, type Search } from './search.ts'
import { workOnMaking } from './life/with-agent.sqlite.ts'
import { sqliteKnowledgeStore } from './store.sqlite.ts'
import type { FedSources, KnowledgeStore, TrainingStore } from './store.ts'
import { startWiping, type Wiping } from './work/wiping.ts'

/** Knowledge of agents, and everything that works on it. */
export interface Knowledge {
  store: KnowledgeStore & TrainingStore
  /** What feeds read with, and where their results are stored. */
  feeding: Feeding
  blobs: Blobs
  search: Search
  /** What visitors may ask to begin with; see Topics. */
  topics: (...asked: Parameters<Topics>) => Promise<string[]>
  preview: Preview
  /** Bytes of one file at most. */
  fileLimit: number
  /** Stored responses of idempotent requests. */
  idempotency: Idempotency
  /** Starts wiping; only in the one process that owns the file. `log` receives the progress of embeddings. */
  work (onFault: OnFault, log?: Log): Promise<Wiping>
  /** Closes outgoing connections. */
  close (): Promise<void>
}

/** See Knowledge. */
export interface Feeding {
  sources: FedSources
  fetch: Egress['fetch']
  drive: Drive
  reading: Reading
}

/** Limits of reading one file: a child's memory, and its time without the server's own work. */
const MEMORY_MIB = 768
const DEADLINE_MS = 25_000

/**
 * Concurrent children: for files and pages in the background, for texts, which must not wait for files, and for
 * previews, for which somebody waits.
 */
const FILES = { atOnce: 2 }
const TEXTS = { atOnce: 1 }
const PREVIEWS = { atOnce: 2, perHolder: 1, waitingPerHolder: 8, waiting: 64 }

/** The operator's settings. */
export interface KnowledgeSettings {
  /** Bytes of text that an agent of a tier may have, bytes that an account of it may keep, and its agents. */
  limits: { training: (tier: Tier) => number, storage: (tier: Tier) => number, agents: AgentLimits }
  /** Bytes of one uploaded or fetched file. */
  fileLimit: number
  /** Private hosts that may be read: `host` or `host:port`. */
  allowedHosts: readonly string[]
  /** Path of a Google service account's file, or null. */
  googleAccount: string | null
  /** Command that recognises the letters of scanned pages, or null. */
  recognition: string[] | null
  /** Search by meaning, or null. */
  embedder: Embedder | null
  /** How the program names itself to others. */
  userAgent: string
}

/** External dependencies. They differ from production in tests only. */
export interface Outside {
  /** Where files and pages are read in the background, and texts where `texts` is not given. */
  sandbox: Sandbox
  /** Where texts are read. */
  texts: Sandbox
  /** How long other servers may take, and how much they may send. */
  limits: NonNullable<Parameters<typeof egress>[0]['limits']>
  /** The address of Google Drive. */
  driveApi: string
}

/** Opens it on the stores' parts; training is among what the worker does from then on. */
export function openKnowledge ({
  db, clock, secrets, revisions, idempotency, neighbours, leads, notifier, eventBus, jobs, worker, settings,
  outside = {}
}: {
  db: Database
  clock: Clock
  secrets: Secrets
  revisions: Revisions
  idempotency: Idempotency
  neighbours: Neighbours
  /** Whether this process does the work that one server does for all. */
  leads: () => boolean
  notifier: Notifier
  eventBus: EventBus
  jobs: Jobs
  worker: Worker
  settings: KnowledgeSettings
  outside?: Partial<Outside>
}): Knowledge {
  const { userAgent, fileLimit, embedder } = settings
  const blobs = blobsIn(db, clock, secrets)
  const faults: Array<(error: unknown) => void> = []
  const tell = (error: unknown) => faults.forEach((onFault) => onFault(error))
  const log: Log = { info () {}, warn () {} }
  const embeddings = embedder ? embeddingsFrom(embedder, { db, clock, secrets, userAgent, log }) : undefined
  const index = sqlitePassages(db, secrets, changesOf(db, neighbours, 'segments'))
  const agents = agentWriter({ db, clock, secrets, revisions, agentLimits: settings.limits.agents })
  const store = sqliteKnowledgeStore({
    db,
    clock,
    revisions,
    idempotency,
    notifier,
    eventBus,
    jobs,
    blobs,
    index,
    agents,
    limits: settings.limits,
    embeds: embeddings !== undefined
  })
  const topics = sqliteTopics(db, secrets)
  const { sandbox, limits, driveApi } = outside
  const out = egress({ allowedHosts: settings.allowedHosts, userAgent, ...(limits && { limits }) })
  const drive = googleDrive({
    fetch: out.fetch, clock, accountFile: settings.googleAccount, ...(driveApi && { api: driveApi })
  })
  const recognise = settings.recognition ? { recognise: recognitionBy(settings.recognition) } : {}
  const child = {
    command: selfCommand('__extract'), memoryMiB: MEMORY_MIB, deadlineMs: DEADLINE_MS, onCrash: tell, ...recognise
  }
  const texts = openWarmSandbox(TEXTS)
  const reading = { ...child, sandbox: sandbox ?? openSandbox(FILES), texts: outside.texts ?? sandbox ?? texts }
  const previewing = { ...child, sandbox: openSandbox(PREVIEWS) }
  // What reads files and pages is loaded once the server listens.
  const preview = lazily(async () =>
    (await import('./work/preview.ts')).previewer({ egress: out, drive, reading: previewing, fileLimit, neighbours })
  )
  const train = lazily(async () =>
    (await import('./work/train.ts')).trainer({
      db, jobs, store, blobs, index, egress: out, drive, reading, embeddings, fileLimit
    })
  )
  worker.handle('train', {
    run: async (...args) => await (await train()).train(...args),
    givenUp: async (job) => await (await train()).givenUp(job)
  })
  workOnMaking({ db, jobs }, worker)
  // A service may be down for as long as it likes.
  worker.handle('embed', { run: async (job, signal) => await (await train()).embed(job, signal), tries: Infinity })

  return {
    store,
    feeding: { sources: store.fed, fetch: out.fetch, drive, reading },
    blobs,
    idempotency,
    fileLimit,
    search: searcher({ db, secrets, store, embeddings }),
    topics: (agent, language) => db.read(() => topics(agent, language)),
    preview: {
      file: async (...asked) => await (await preview()).file(...asked),
      draft: async (...asked) => await (await preview()).draft(...asked),
      pages: async (...asked) => await (await preview()).pages(...asked)
    },
    async work (onFault, heard = log) {
      faults.push(onFault)
      Object.assign(log, { info: heard.info.bind(heard), warn: heard.warn.bind(heard) })
      // Loaded early: they must not be missing when no more files can be opened.
      await Promise.allSettled([preview(), train()])
      if (embeddings) await embedEverything({ db, jobs, embeddings, log })
      return await startWiping({ db, blobs, index, secrets, leads, neighbours, clock, onFault })
    },
    async close () {
      texts.close()
      await out.close()
      await embeddings?.close()
    }
  }
}
