import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { Fetched, KnowledgeSourceRecord, PageChoice, Visit } from '../../schema/knowledge.ts'
import { sitePages } from '../../schema/sqlite/knowledge.ts'
import type { Choice } from './life/step.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'

/**
 * What is remembered of the pages that sources were read from, and what people decided about pages of a site. In rows
 * of their own, which nobody who reads a source touches. Everything but `of` runs inside the transaction of whoever
 * needs it.
 */
export type Visits = ReturnType<typeof visitsIn>

/** See Visits. */
export function visitsIn ({ orm, raw, read }: Pick<Database, 'orm' | 'raw' | 'read'>) {
  // Not of what was never trained: that has to be read again even if it has not changed.
  const ofSite = raw.prepare<{ site: Id }, Visit & { address: string }>(`
    select address, url, etag, last_modified as lastModified, content_hash as contentHash, page.title, links
    from site_pages as page join knowledge_sources as source on source.id = page.source_id
    where source.id = :site or (source.parent_id = :site and source.text_blob is not null)
    order by source.parent_id is not null`)
  const choose = raw.prepare(`insert into page_choices (site_id, page, choice) values (?, ?, ?)
    on conflict (site_id, page) do update set choice = excluded.choice`)
  const forget = raw.prepare("delete from page_choices where site_id = ? and page = ? and choice = 'deselected'")
  const forgetAll = raw.prepare("delete from page_choices where site_id = ? and choice = 'deselected'")
  const exclude = raw.prepare('insert or ignore into feed_exclusions (feed_id, key) values (:feed, :key)')
  const choiceOf = raw
    .prepare<[Id, string], PageChoice>('select choice from page_choices where site_id = ? and page = ?')
    .pluck()

  return {
    /** What is remembered of a source and of its pages. */
    of (site: Id): Fetched {
      return Object.fromEntries(read(() => ofSite.all({ site })).map(({ address, ...visit }) => [address, visit]))
    },

    /** Remembers this of a source, and nothing else any more. */
    remember ({ id: source, owner, agent }: Pick<KnowledgeSourceRecord, 'id' | 'owner' | 'agent'>, fetched: Fetched) {
      orm.delete(sitePages).where(eq(sitePages.source, source)).run()
      for (const [address, visit] of Object.entries(fetched)) {
        orm
          .insert(sitePages)
          .values({ owner, agent, source, address, ...visit })
          .run()
      }
    },

    choiceOf: (site: Id, page: string): PageChoice | undefined => choiceOf.get(site, page),

    /** What a person decided about a source holds for the next looks at a site too. */
    choose (
      { id, parent_knowledge_source: site }: Pick<KnowledgeSourceRecord, 'id' | 'parent_knowledge_source'>,
      choice: Choice
    ) {
      if (choice === 'all selected') forgetAll.run(id)
      else if ('feed' in choice) exclude.run(choice)
      else if (choice.choice === null) forget.run(site, choice.page)
      else choose.run(site, choice.page, choice.choice)
    }
  }
}
