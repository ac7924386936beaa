import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { Pagination, success } from '../../../schema/envelopes.ts'
import { TextChange } from '../../../schema/feeds.ts'
import {
  KnowledgeSource, Progress, SourcePatch, type KnowledgeSourceRecord
} from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT, TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS, type Shown } from '../../agents/index.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Refusal } from '../../platform/errors.ts'
import { wantedTags } from '../../platform/http/answers.ts'
import { accepted, ok, raw, removed, whole } from '../../platform/http/resources/answer.ts'
import { cursorOf, InPages, NextCursor } from '../../platform/http/resources/cursors.ts'
import type { Version } from '../../platform/http/resources/tags.ts'
import { askedChange } from './change.ts'
import { stageText } from '../stage.ts'
import { changeOf } from '../work/learn.ts'
import type { KnowledgeStore } from '../store.ts'

const tag = 'Knowledge'
const CHANGING = ['MANAGE_KNOWLEDGE_BASE'] as const
const missing = 'No such knowledge source.'
const inAgent = Type.Object({ id: PathId })
const inSource = Type.Object({ id: PathId, sid: PathId })
const SourceAnswer = success(KnowledgeSource, { title: 'KnowledgeSourceAnswer', description: 'The source' })
const ChangeAnswer = success(TextChange, { title: 'TextChangeAnswer', description: 'The changes' })
const SourceList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(KnowledgeSource),
  pagination: Type.Optional({ ...Pagination, description: 'Missing if a cursor was sent' }),
  next_cursor: NextCursor
}, { title: 'KnowledgeSourceList', description: 'The sources' })
const Query = Type.Object({
  ...InPages,
  status: Type.Optional(Progress),
  training_status: Type.Optional(Progress),
  folder: Type.Optional(PathId),
  parent: Type.Optional(Type.Integer({
    minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only pages of this site; 0: only sources other than pages'
  }))
}, closed)
const DEFAULT_LIMIT = 20

/** An agent's knowledge sources: list, read, change, train again, remove; add.ts adds them. */
export const sourceRoutes: FastifyPluginAsync<{
  knowledge: KnowledgeStore, blobs: Blobs, shown: Shown
}> = async (app, { knowledge, blobs, shown }) => {
  const version: Version<KnowledgeSourceRecord, string[] | undefined> = {
    tag: (kept, { caller }) => shown.sourceTag(kept, caller.account.tier),
    match: wantedTags
  }
  const show = (kept: KnowledgeSourceRecord, { caller }: FastifyRequest) => shown.source(kept, caller.account.tier)

  app.route(route({
    get: '/agents/:id/knowledge_sources',
    id: 'listKnowledgeSources',
    tag,
    summary: 'List knowledge sources',
    description:
      'Oldest first, 20 at a time by default: by `page`, or by `cursor`, which neither skips nor repeats sources when others are added or removed between requests.',
    who: 'any user',
    params: inAgent,
    query: Query,
    missing: NO_AGENT,
    answer: whole(SourceList, 'Knowledge sources retrieved successfully'),
    handle: async ({ caller, owner, params: { id }, query, request }) => {
      const { page = 1, limit = DEFAULT_LIMIT, cursor: _cursor, parent, ...filter } = query
      const { after, next } = cursorOf(request, owner)
      const site = parent === undefined ? {} : { parent: parent === 0 ? null : parent }
      const asked = { ...filter, ...site, ...(after !== undefined && { after: Number(after) }) }
      const found = await knowledge.list(owner, id, asked, (page - 1) * limit, limit)
      if (!found) return undefined
      const { items, total } = found
      const hasMore = page * limit < total && items.length > 0
      return {
        data: items.map((kept) => shown.source(kept, caller.account.tier)),
        ...(after === undefined && { pagination: { page, limit, total, pages: Math.ceil(total / limit) } }),
        next_cursor: next(hasMore ? String(items.at(-1)!.id) : null)
      }
    }
  }))

  app.route(route({
    get: '/agents/:id/knowledge_sources/:sid',
    id: 'getKnowledgeSource',
    tag,
    summary: 'Read a knowledge source',
    who: 'any user',
    params: inSource,
    version,
    missing,
    answer: ok(SourceAnswer, 'Knowledge source retrieved successfully', { show }),
    handle: ({ owner, params: { id, sid } }) => knowledge.get(owner, id, sid)
  }))

  app.route(route({
    put: '/agents/:id/knowledge_sources/:sid',
    id: 'updateKnowledgeSource',
    tag,
    summary: 'Update a knowledge source',
    description:
      "Updates the title, the folder, whether the agent uses it, and a text source's text or a website's reach. Selecting a site selects its pages. A retrieved source can be sent back as a whole. With If-Match, it is updated only if nobody has changed it since you read it; training does not count as a change.",
    who: CHANGING,
    params: inSource,
    body: SourcePatch,
    limits: {
      bodyLimit: TEXT_BODY_LIMIT,
      receiveMs: UPLOAD_MS,
      answerMs: WRITING_MS,
      insteadOfLarge: 'Add a file with the text as a new source (multipart/form-data) instead.'
    },
    version,
    missing,
    answer: ok(SourceAnswer, 'Knowledge source updated successfully', { show }),
    handle: async ({ owner, params: { id, sid }, body, match, request }) => {
      const kept = await knowledge.get(owner, id, sid)
      if (!kept) return undefined
      const { change, text: sent } = askedChange(kept, body)
      const text = sent === undefined ? undefined : await stageText(blobs, sent)
      try {
        request.commits()
        const next = await knowledge.update(owner, id, sid, { ...change, ...(text && { text }) }, match)
        if (!next && text) await blobs.discard(text.blob)
        return next
      } catch (error) {
        if (text) await blobs.discard(text.blob)
        throw error
      }
    }
  }))

  app.route(route({
    delete: '/agents/:id/knowledge_sources/:sid',
    id: 'deleteKnowledgeSource',
    tag,
    summary: 'Delete a knowledge source',
    description: 'Permanently deletes its text, passages and file; for a site, its pages too.',
    who: CHANGING,
    params: inSource,
    version,
    missing,
    answer: removed('Knowledge source deleted successfully'),
    handle: ({ owner, params: { id, sid }, match }) => knowledge.remove(owner, id, sid, match)
  }))

  app.route(route({
    post: '/agents/:id/knowledge_sources/:sid/train',
    id: 'trainKnowledgeSource',
    tag,
    summary: 'Train a knowledge source again',
    description: 'Reads the source again, including URLs and Google Drive files. Until training ends, answers use its previous text.',
    who: CHANGING,
    params: inSource,
    idempotent: true,
    version,
    missing,
    answer: accepted(SourceAnswer, 'Training has begun', { show }),
    handle: ({ owner, params: { id, sid }, once }) => knowledge.retrain(owner, id, sid, once)
  }))

  app.route(route({
    get: '/agents/:id/knowledge_sources/:sid/change',
    id: 'getKnowledgeChange',
    tag,
    summary: "Read the changes to a source's text",
    description:
      'For a source created by a feed: its text changes, line by line, from the last check that found it changed. If it is gone at its origin and awaits `approve_removal`, its whole text is shown as removed.',
    who: 'any user',
    params: inSource,
    missing,
    answer: ok(ChangeAnswer, 'Changes retrieved successfully'),
    handle: async ({ owner, params: { id, sid } }) => {
      const kept = await knowledge.get(owner, id, sid)
      return kept && (await changeOf(blobs, kept))
    }
  }))

  app.route(route({
    get: '/agents/:id/knowledge_sources/:sid/text',
    id: 'getKnowledgeText',
    tag,
    summary: 'Read the text of a knowledge source',
    description: 'Returns the extracted text, which counts towards the limit, as text/plain.',
    who: 'any user',
    params: inSource,
    produces: 'text/plain',
    answer: raw({ 200: Type.String({ description: 'The text' }) }),
    handle: async ({ owner, params: { id, sid }, reply }) => {
      const kept = await knowledge.get(owner, id, sid)
      if (!kept) throw new Refusal('not_found', missing)
      if (kept.text_blob === null) {
        throw new Refusal('not_found', 'This source has no text yet; its status says whether there will be one.')
      }
      return reply
        .type('text/plain; charset=utf-8')
        .headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" })
        .send(Readable.from(blobs.readText(kept.text_blob), { objectMode: false }))
    }
  }))
}
