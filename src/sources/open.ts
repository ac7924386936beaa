import type { Id } from '../../schema/common.ts'
import type { Config, Kernel } from '../kernel/index.ts'
import type { Sent } from '../personal-data/contract.ts'
import { changesOf } from '../platform/storage/changes.ts'
import { blobsIn, type Blobs } from '../platform/storage/sqlite/blobs.ts'
import { agentWriter } from '../agents/index.ts'
import { egress, type Egress } from '../platform/net/egress.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import { lazily } from '../platform/lazily.ts'
import { openSandbox, openWarmSandbox, selfCommand, type Sandbox } from '../platform/process/sandbox.ts'
import type { Reading } from '../reading/apart.ts'
import { recognitionBy, recognitionCommand } from '../reading/recognition.ts'
import { googleDrive, type Drive } from '../crawling/drive.ts'
import { embedEverything } from './work/embed-everything.ts'
import type { Embedder } from '../search/vectors/embed.ts'
import { embeddingsFrom } from '../search/vectors/embeddings.ts'
import { sqlitePassages } from '../search/passages.sqlite.ts'
import { sqliteTopics, type Topics } from '../search/own/topics.sqlite.ts'
import type { Preview } from './work/preview.ts'
import { searcher, type Search } from './search.ts'
import { workOnMaking } from './life/with-agent.sqlite.ts'
import { sqliteKnowledgeStore } from './store.sqlite.ts'
import type { FedSources, KnowledgeStore, TrainingStore } from './store.ts'
import { startWiping } from './work/wiping.ts'

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
  /** Where what visitors ask is sent to. */
  hosts (owner: Id): Promise<Sent[]>
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

/** Opens it; training is among what the worker does from then on. */
export function openKnowledge (kernel: Kernel, { outside = {} }: { outside?: Partial<Outside> } = {}): Knowledge {
  const { config, db, clock, secrets, neighbours, jobs, worker, idempotency, userAgent, onFault, log } = kernel
  const fileLimit = config.UPLOAD_MIB * 2 ** 20
  const blobs = blobsIn(db, clock, secrets)
  const embedder = embedderIn(config)
  const embeddings = embedder && embeddingsFrom(embedder, { db, clock, secrets, userAgent, log })
  const index = sqlitePassages(db, secrets, changesOf(db, neighbours, 'segments'))
  const store = sqliteKnowledgeStore({
    ...kernel,
    blobs,
    index,
    agents: agentWriter({ ...kernel, agentLimits: config.AGENT_LIMITS }),
    limits: {
      training: (tier) => config.TRAINING_LIMITS[tier],
      storage: (tier) => config.STORAGE_LIMITS[tier]
    },
    embeds: embeddings !== undefined
  })
  const topics = sqliteTopics(db, secrets)
  const { sandbox, limits, driveApi } = outside
  const out = egress({ allowedHosts: config.ALLOWED_HOSTS, userAgent, ...(limits && { limits }) })
  const drive = googleDrive({
    fetch: out.fetch, clock, accountFile: config.GOOGLE_SERVICE_ACCOUNT || null, ...(driveApi && { api: driveApi })
  })
  const recognition = recognitionCommand(config.OCR)
  const recognise = recognition ? { recognise: recognitionBy(recognition) } : {}
  const child = {
    command: selfCommand('__extract'), memoryMiB: MEMORY_MIB, deadlineMs: DEADLINE_MS, onCrash: onFault, ...recognise
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
  kernel.onWork(async () => {
    // Loaded early: they must not be missing when no more files can be opened.
    await Promise.allSettled([preview(), train()])
    if (embeddings) await embedEverything({ db, jobs, embeddings, log })
    return await startWiping({ ...kernel, blobs, index })
  })
  kernel.onClose(async () => {
    texts.close()
    await out.close()
    await embeddings?.close()
  })

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
    hosts: async () => embedder ? [{ url: embedder.url, purpose: 'search' }] : []
  }
}

/** Search by meaning, where the operator has set it up. */
function embedderIn (config: Config): Embedder | undefined {
  if (!config.EMBEDDINGS_URL) return undefined
  return {
    url: config.EMBEDDINGS_URL,
    model: config.EMBEDDINGS_MODEL,
    apiKey: config.EMBEDDINGS_KEY || null,
    dimensions: config.EMBEDDINGS_DIMENSIONS
  }
}
