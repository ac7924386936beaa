import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { Fetched, KnowledgeSourceRecord, PageChoice, Visit } from '../../schema/knowledge.ts'
import { sitePages } from '../../schema/sqlite/knowledge.ts'
import type { Choice } from './life/step.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/**
 * What is remembered of the pages that sources were read from, and people's decisions about pages of a site. In
 * separate rows, which readers of a source do not touch. Everything but `of` runs inside the caller's transaction.
 */
export type Visits = ReturnType<typeof visitsIn>

/** See Visits. */
export function visitsIn (db: Database) {
  const { orm } = db
  // Not of what was never trained: that has to be read again even if it has not changed.
  const ofSite = db.objects<{ site: Id }, Visit & { address: string }>(`
    select address, url, etag, last_modified as lastModified, content_hash as contentHash, page.title, links
    from site_pages as page join knowledge_sources as source on source.id = page.source_id
    where source.id = :site or (source.parent_id = :site and source.text_blob is not null)
    order by source.parent_id is not null`)
  const choose = db.objects(`insert into page_choices (site_id, page, choice) values (?, ?, ?)
    on conflict (site_id, page) do update set choice = excluded.choice`)
  const forget = db.objects("delete from page_choices where site_id = ? and page = ? and choice = 'deselected'")
  const forgetAll = db.objects("delete from page_choices where site_id = ? and choice = 'deselected'")
  const exclude = db.objects('insert or ignore into feed_exclusions (feed_id, key) values (:feed, :key)')
  const choiceOf = db.column<[Id, string], PageChoice>('select choice from page_choices where site_id = ? and page = ?')

  return {
    /** What is remembered of a source and of its pages. */
    async of (site: Id): Promise<Fetched> {
      const visits = await db.read(() => ofSite.all({ site }))
      return Object.fromEntries(visits.map(({ address, ...visit }) => [address, visit]))
    },

    /** Remembers this of a source, and nothing else any more. */
    * remember ({ id: source, owner, agent }: Pick<KnowledgeSourceRecord, 'id' | 'owner' | 'agent'>, fetched: Fetched) {
      yield * db.run(orm.delete(sitePages).where(eq(sitePages.source, source)))
      for (const [address, visit] of Object.entries(fetched)) {
        yield * db.run(orm
          .insert(sitePages)
          .values({ owner, agent, source, address, ...visit }))
      }
    },

    choiceOf: (site: Id, page: string): Work<PageChoice | undefined> => choiceOf.get(site, page),

    /** What a person decided about a source holds for the next looks at a site too. */
    * choose (
      { id, parent_knowledge_source: site }: Pick<KnowledgeSourceRecord, 'id' | 'parent_knowledge_source'>,
      choice: Choice
    ) {
      if (choice === 'all selected') yield * forgetAll.run(id)
      else if ('feed' in choice) yield * exclude.run(choice)
      else if (choice.choice === null) yield * forget.run(site, choice.page)
      else yield * choose.run(site, choice.page, choice.choice)
    }
  }
}
