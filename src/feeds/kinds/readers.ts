import type { FeedKind } from '../../../schema/feed-kinds.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Job } from '../../platform/work/jobs.ts'
import type { Feeding } from '../../sources/index.ts'
import type { FeedReader, Here } from '../contract.ts'
import { confluenceReader } from './confluence.ts'
import { driveFolderReader } from './drive.ts'
import { folderReader } from './folder.ts'
import { gitReader } from './git.ts'
import { helpscoutReader } from './helpscout.ts'
import { intercomReader } from './intercom.ts'
import { notionReader } from './notion.ts'
import { rssReader, sitemapReader, type PageNeeds } from './pages.ts'
import { s3Reader } from './s3.ts'
import { zendeskReader } from './zendesk.ts'

/** Dependencies for reading feeds. */
interface ReadingNeeds extends Pick<Feeding, 'fetch' | 'drive' | 'reading'> {
  clock: Clock
  /** Folders that may be watched. */
  folders: readonly string[]
  /** Bytes of one file at most. */
  fileLimit: number
}

/** The reader of each kind. A kind added to the list does not compile until it is here too. */
const READERS: Record<FeedKind, (needs: ReadingNeeds & PageNeeds) => FeedReader> = {
  folder: folderReader,
  git: gitReader,
  sitemap: sitemapReader,
  rss: rssReader,
  s3: s3Reader,
  drive_folder: driveFolderReader,
  notion: notionReader,
  confluence: confluenceReader,
  zendesk: zendeskReader,
  intercom: intercomReader,
  helpscout: helpscoutReader
}

/** The reader of a feed's kind, for one look. */
export function readersWith (needs: ReadingNeeds) {
  return (kind: FeedKind, { owner }: Job, here: Here): FeedReader => READERS[kind]({ ...needs, holder: owner, here })
}
