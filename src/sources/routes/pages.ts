import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { SiteDraft, SitePages } from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT } from '../../agents/index.ts'
import { invalid } from '../../platform/errors.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import { pageAddress } from '../../reading/page-address.ts'
import type { Preview } from '../work/preview.ts'
import type { KnowledgeStore } from '../store.ts'
import { crawlOf } from './draft.ts'
import { untilClosed } from './preview.ts'

/** How long an answer may take, in milliseconds: longer than a site is looked at. */
const LOOKING_MS = 40_000

/** Which pages of a site would be read, before it is added or changed. */
export const pagesRoute: FastifyPluginAsync<{
  knowledge: KnowledgeStore, preview: Preview
}> = async (app, { knowledge, preview }) => {
  app.route(route({
    post: '/agents/:id/knowledge_sources/pages',
    id: 'previewKnowledgePages',
    audit: 'never',
    tag: 'Knowledge',
    summary: 'Preview the pages of a site',
    description:
      'Visits a site as reading it would, for at most 20 seconds and 50 pages, and lists which pages would be read, which would not, and why. The robots.txt of the site is respected. Nothing is stored. One site at a time per account.',
    who: ['MANAGE_KNOWLEDGE_BASE'],
    params: Type.Object({ id: PathId }),
    body: SiteDraft,
    limits: { answerMs: LOOKING_MS },
    missing: NO_AGENT,
    answer: ok(
      success(SitePages, { title: 'KnowledgePagesAnswer', description: 'The pages' }),
      ({ pages }) => pages.some(({ taken }) => taken) ? 'These pages would be read' : 'No page would be read'
    ),
    refuses: [['in_progress', 'A site is already being read for this account. Wait until that is done.']],
    handle: async ({ owner, params: { id }, body, reply }) => {
      if (!await knowledge.room(owner, id)) return undefined
      const url = pageAddress(body.url)
      if (url === undefined) {
        throw invalid({
          field: 'url',
          message: 'url is not a valid address: use http:// or https:// and a host, without a user name.'
        })
      }
      const { depth, count, include, exclude } = crawlOf(body, 1)
      return await preview.pages({ url, depth, count, include, exclude }, { holder: owner, signal: untilClosed(reply) })
    }
  }))
}
