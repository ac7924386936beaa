import type { Id } from '../../schema/common.ts'
import type { KnowledgeGaps } from '../../schema/feeds.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Kernel, Running } from '../kernel/index.ts'
import { lazily } from '../platform/lazily.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import type { Knowledge } from '../sources/index.ts'
import { freshness, type FreshnessNeeds } from './fresh/freshness.ts'
import { freshnessStore } from './fresh/freshness.sqlite.ts'
import { openGapsMail } from './fresh/mailing.ts'
import { tellWeekly } from './fresh/weekly.ts'
import { LOOK } from './rows.sqlite.ts'
import { sqliteFeedStore } from './store.sqlite.ts'
import type { FeedStore, FreshnessStore, LookStore } from './store.ts'
import { watching, type Watching } from './looking/watching.ts'
import { isWithin } from './within.ts'

/** Where agents' knowledge comes from and is kept fresh. */
export interface Feeds {
  store: FeedStore & LookStore & FreshnessStore
  /** What an agent lacks; undefined where there is no such agent. */
  gaps (owner: Id, agent: Id): Promise<KnowledgeGaps | undefined>
  /** Begins to watch folders; called in the one process that works on the data. */
  watch (): Promise<Running>
}

/** What feeds need of other features. */
interface FeedFeatures extends Pick<FreshnessNeeds, 'checks' | 'learning'> {
  business: BusinessStore
  knowledge: Pick<Knowledge, 'feeding' | 'fileLimit' | 'search'> & { blobs: Blobs }
}

/** Opens them; the worker looks at them from then on, and whoever teaches agents is mailed what these lack. */
export function openFeeds (kernel: Kernel, { business, knowledge, checks, learning }: FeedFeatures): Feeds {
  const { db, clock, worker, check, onFault, config: { FOLDERS: folders } } = kernel
  const { feeding, fileLimit, blobs } = knowledge
  let watched: Watching | undefined
  const store = sqliteFeedStore({
    ...kernel,
    sources: feeding.sources,
    checks: { address: check, isAllowed: (path) => isWithin(folders, path) },
    onFolders: () => { watched?.follow().catch(onFault) }
  })
  // Readers are loaded on the first look.
  const look = lazily(async () => {
    const [{ looking }, { readersWith }] = await Promise.all([import('./looking/look.ts'), import('./kinds/readers.ts')])
    return looking({ store, blobs, clock, readerOf: readersWith({ ...feeding, clock, folders, fileLimit }) })
  })
  worker.handle(LOOK, { run: async (...args) => await (await look())(...args), tries: Infinity })

  const fresh = freshnessStore({ ...kernel, sources: feeding.sources })
  const { gaps } = freshness({ store: fresh, clock, worker, search: knowledge.search, checks, learning })
  tellWeekly({ db, store: fresh, clock, worker, business, gaps })
  if (kernel.mail) openGapsMail(kernel, { ...kernel.mail, business, gaps })
  const feeds: Feeds = {
    store: { ...store, ...fresh },
    gaps,
    async watch () {
      watched = watching(store, onFault)
      await watched.follow()
      return { stop: () => watched?.close() }
    }
  }
  kernel.onWork(() => feeds.watch())
  return feeds
}
