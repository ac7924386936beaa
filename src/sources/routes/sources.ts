import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { Deleted, Pagination, success } from '../../../schema/envelopes.ts'
import {
  KnowledgeSource, Progress, SourcePatch, type KnowledgeSourceRecord
} from '../../../schema/knowledge.ts'
import type { Caller } from '../../access/index.ts'
import { noAgent, TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS, type Shown } from '../../agents/index.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Refusal } from '../../platform/errors.ts'
import { namesTag, notModified, wantedTags } from '../../platform/http/answers.ts'
import { cursorOf, InPages, NextCursor } from '../../platform/http/resources/cursors.ts'
import { Unchanged } from '../../platform/http/resources/tags.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { askedChange } from './change.ts'
import { stageText } from '../stage.ts'
import type { KnowledgeStore } from '../store.ts'

const SourceAnswer = success(KnowledgeSource, { title: 'KnowledgeSourceAnswer', description: 'The source' })
const SourceList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(KnowledgeSource),
  pagination: Type.Optional({ ...Pagination, description: 'Absent where a cursor was sent' }),
  next_cursor: NextCursor
}, { title: 'KnowledgeSourceList', description: 'The sources' })

const inAgent = Type.Object({ id: PathId })
const inSource = Type.Object({ id: PathId, sid: PathId })
const tags = ['Knowledge']
const DEFAULT_LIMIT = 20

/** An agent's knowledge sources: list, read, change, train again, remove; add.ts adds them. */
export const sourceRoutes: FastifyPluginAsyncTypebox<{
  knowledge: KnowledgeStore, blobs: Blobs, shown: Shown
}> = async (app, { knowledge, blobs, shown }) => {
  app.get(
    '/agents/:id/knowledge_sources',
    {
      schema: {
        tags,
        operationId: 'listKnowledgeSources',
        summary: 'List knowledge sources',
        description:
          'Oldest first, 20 at a time without `limit`: by `page`, or by `cursor`, with which sources that come and go between two requests move no other.',
        params: inAgent,
        querystring: Type.Object(
          {
            ...InPages,
            status: Type.Optional(Progress),
            training_status: Type.Optional(Progress),
            folder: Type.Optional(PathId)
          },
          closed
        ),
        response: { 200: SourceList }
      },
      config: { permit: 'any user' }
    },
    async (request) => {
      const {
        caller: { account }, params: { id }, query: { page = 1, limit = DEFAULT_LIMIT, cursor: _cursor, ...filter }
      } = request
      const { after, next } = cursorOf(request, account.id)
      const asked = { ...filter, ...(after !== undefined && { after: Number(after) }) }
      const { items, total } = (await knowledge.list(account.id, id, asked, (page - 1) * limit, limit)) ?? noAgent()
      const hasMore = page * limit < total && items.length > 0
      return {
        status: 'success' as const,
        message: 'Knowledge sources retrieved successfully',
        data: items.map((kept) => shown.source(kept, account.tier)),
        ...(after === undefined && { pagination: { page, limit, total, pages: Math.ceil(total / limit) } }),
        next_cursor: next(hasMore ? String(items.at(-1)!.id) : null)
      }
    }
  )

  function send (reply: FastifyReply, { account }: Caller, kept: KnowledgeSourceRecord, message: string) {
    return reply
      .header('etag', shown.sourceTag(kept, account.tier))
      .send({ status: 'success', message, data: shown.source(kept, account.tier) })
  }

  app.get(
    '/agents/:id/knowledge_sources/:sid',
    {
      schema: {
        tags,
        operationId: 'getKnowledgeSource',
        summary: 'Read a knowledge source',
        params: inSource,
        response: { 200: SourceAnswer, 304: Unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id, sid }
      } = request
      const kept = (await knowledge.get(caller.account.id, id, sid)) ?? noSource()
      const tag = shown.sourceTag(kept, caller.account.tier)
      if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
      return send(reply, caller, kept, 'Knowledge source retrieved successfully')
    }
  )

  app.put(
    '/agents/:id/knowledge_sources/:sid',
    {
      bodyLimit: TEXT_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'updateKnowledgeSource',
        summary: 'Change a knowledge source',
        description:
          "Title, folder, whether the agent uses it, and a text source's text or a website's reach. Selecting a site selects its pages. What was read can be sent back whole. With If-Match, only if nobody has changed it since you read it; training does not count.",
        params: inSource,
        body: SourcePatch,
        response: { 200: SourceAnswer }
      },
      config: {
        permit: ['MANAGE_KNOWLEDGE_BASE'],
        receiveMs: UPLOAD_MS,
        answerMs: WRITING_MS,
        insteadOfLarge: 'Add a file with the text as a new source (multipart/form-data) instead.',
        heeds: ['If-Match'],
        tells: ['ETag']
      }
    },
    async (request, reply) => {
      const {
        caller, params: { id, sid }, body
      } = request
      const kept = (await knowledge.get(caller.account.id, id, sid)) ?? noSource()
      const { change, text: sent } = askedChange(kept, body)
      const text = sent === undefined ? undefined : await stageText(blobs, sent)
      try {
        request.commits()
        const next =
          (await knowledge.update(
            caller.account.id, id, sid, { ...change, ...(text && { text }) }, wantedTags(request)
          )) ?? noSource()
        return send(reply, caller, next, 'Knowledge source updated successfully')
      } catch (error) {
        if (text) await blobs.discard(text.blob)
        throw error
      }
    }
  )

  app.delete(
    '/agents/:id/knowledge_sources/:sid',
    {
      schema: {
        tags,
        operationId: 'deleteKnowledgeSource',
        summary: 'Remove a knowledge source',
        description: 'Text, passages and file go for good; of a site, its pages too.',
        params: inSource,
        response: { 200: Deleted }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['If-Match'] }
    },
    async (request) => {
      const {
        caller, params: { id, sid }
      } = request
      if (!(await knowledge.remove(caller.account.id, id, sid, wantedTags(request)))) noSource()
      return { status: 'success' as const, message: 'Knowledge source deleted successfully', data: { id: sid } }
    }
  )

  app.post(
    '/agents/:id/knowledge_sources/:sid/train',
    {
      schema: {
        tags,
        operationId: 'trainKnowledgeSource',
        summary: 'Train a knowledge source again',
        description: 'Reads it anew, addresses and Google Drive files included. What it knew answers until then.',
        params: inSource,
        response: { 202: SourceAnswer }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id, sid }
      } = request
      const { answer, replayed } = (await knowledge.retrain(caller.account.id, id, sid, onceOf(request))) ?? noSource()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return send(reply.code(202), caller, answer, 'Training has begun')
    }
  )

  app.get(
    '/agents/:id/knowledge_sources/:sid/text',
    {
      schema: {
        tags,
        operationId: 'getKnowledgeText',
        summary: 'Read the text of a knowledge source',
        description: 'What was extracted and is counted, as text/plain.',
        params: inSource,
        produces: ['text/plain'],
        response: { 200: Type.String({ description: 'The text' }) }
      },
      config: { permit: 'any user' }
    },
    async ({ caller, params: { id, sid } }, reply) => {
      const kept = (await knowledge.get(caller.account.id, id, sid)) ?? noSource()
      if (kept.text_blob === null) {
        throw new Refusal('not_found', 'This source has no text yet; its status says whether there will be one.')
      }
      return reply
        .type('text/plain; charset=utf-8')
        .headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" })
        .send(Readable.from(blobs.readText(kept.text_blob), { objectMode: false }) as never)
    }
  )
}

function noSource (): never {
  throw new Refusal('not_found', 'No such knowledge source.')
}
