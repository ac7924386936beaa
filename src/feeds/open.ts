import type { Id } from '../../schema/common.ts'
import type { KnowledgeGaps } from '../../schema/feeds.ts'
import type { BusinessStore } from '../business/index.ts'
import { lazily } from '../platform/lazily.ts'
import { outsideOnly } from '../platform/net/outside.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import type { Worker } from '../platform/work/worker.ts'
import type { Knowledge } from '../sources/index.ts'
import { freshness, type FreshnessNeeds } from './fresh/freshness.ts'
import { freshnessStore } from './fresh/freshness.sqlite.ts'
import { tellWeekly } from './fresh/weekly.ts'
import { LOOK, type FeedNeeds } from './rows.sqlite.ts'
import { sqliteFeedStore } from './store.sqlite.ts'
import type { FeedStore, FreshnessStore, LookStore } from './store.ts'
import { watching, type Watching } from './looking/watching.ts'
import { isWithin } from './within.ts'

/** Where agents' knowledge comes from and is kept fresh. */
export interface Feeds {
  store: FeedStore & LookStore & FreshnessStore
  /** What an agent lacks; undefined where there is no such agent. */
  gaps (owner: Id, agent: Id): Promise<KnowledgeGaps | undefined>
  /** Begins to watch folders; only in the one process that serves the file. */
  work (onFault: (error: unknown) => void): Promise<void>
  close (): void
}

/** Opens them on the stores' parts; the worker looks at them from then on. */
export function openFeeds ({ worker, business, knowledge, checks, learning, allowedHosts, folders, ...parts }: {
  worker: Pick<Worker, 'handle' | 'every'>
  business: Pick<BusinessStore, 'of'>
  knowledge: Pick<Knowledge, 'feeding' | 'fileLimit' | 'search'> & { blobs: Blobs }
  /** Hosts that may be private. */
  allowedHosts: readonly string[]
  /** Folders that may be watched. */
  folders: readonly string[]
} & Pick<FreshnessNeeds, 'checks' | 'learning'> & Omit<FeedNeeds, 'sources' | 'checks' | 'onFolders'>): Feeds {
  const { feeding, fileLimit, blobs } = knowledge
  let watched: Watching | undefined
  let onFault: (error: unknown) => void = () => undefined
  const store = sqliteFeedStore({
    ...parts,
    sources: feeding.sources,
    checks: { address: outsideOnly(allowedHosts), isAllowed: (path) => isWithin(folders, path) },
    onFolders: () => { watched?.follow().catch(onFault) }
  })
  // Readers are loaded on the first look.
  const look = lazily(async () => {
    const [{ looking }, { readersWith }] = await Promise.all([import('./looking/look.ts'), import('./kinds/readers.ts')])
    const { clock } = parts
    return looking({ store, blobs, clock, readerOf: readersWith({ ...feeding, clock, folders, fileLimit }) })
  })
  worker.handle(LOOK, { run: async (...args) => await (await look())(...args), tries: Infinity })

  const fresh = freshnessStore({ ...parts, sources: feeding.sources })
  const { gaps } = freshness({ store: fresh, clock: parts.clock, worker, search: knowledge.search, checks, learning })
  tellWeekly({ db: parts.db, store: fresh, clock: parts.clock, worker, business, gaps })

  return {
    store: { ...store, ...fresh },
    gaps,
    async work (heard) {
      onFault = heard
      watched = watching(store, heard)
      await watched.follow()
    },
    close: () => watched?.close()
  }
}
