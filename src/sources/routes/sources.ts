import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { Deleted, Pagination, Paging, success } from '../../../schema/envelopes.ts'
import {
  KnowledgeSource, Progress, SourceDraft, SourcePatch, type KnowledgeSourceRecord, UploadForm
} from '../../../schema/knowledge.ts'
import type { Caller } from '../../access/index.ts'
import { noAgent, TEXT_BODY_LIMIT, UPLOAD_INSTEAD, UPLOAD_MS, WRITING_MS, type Shown } from '../../agents/index.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Refusal } from '../../platform/errors.ts'
import { textOfPairs } from '../../reading/pairs.ts'
import { namesTag, notModified, wantedTags } from '../../platform/http/answers.ts'
import type { Once } from '../../platform/storage/contract.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { askedChange } from './change.ts'
import { newSource } from './draft.ts'
import { discardAll, stageText } from '../stage.ts'
import { checkRoom } from '../life/step.ts'
import type { KnowledgeStore, NewSource, AccountRoom } from '../store.ts'
import { receive } from './upload.ts'

const SourceAnswer = success(KnowledgeSource, { title: 'KnowledgeSourceAnswer', description: 'The source' })
const SourcesAdded = success(
  Type.Array(KnowledgeSource, {
    description: 'What was added, in the order in which it was sent; one source is a list of one'
  }),
  {
    title: 'KnowledgeSourcesAdded', description: 'The sources that were added'
  }
)
const unchanged = Type.Null({ description: 'What If-None-Match names is still right' })
const SourceList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(KnowledgeSource),
  pagination: Pagination
}, { title: 'KnowledgeSourceList', description: 'The sources' })

const inAgent = Type.Object({ id: PathId })
const inSource = Type.Object({ id: PathId, sid: PathId })
const tags = ['Knowledge']
const DEFAULT_LIMIT = 20

/** An agent's knowledge sources: list, add, read, change, train again, remove. */
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
        params: inAgent,
        querystring: Type.Object(
          {
            ...Paging,
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
    async ({ caller, params: { id }, query: { page = 1, limit = DEFAULT_LIMIT, ...filter } }) => {
      const { items, total } =
        (await knowledge.list(caller.account.id, id, filter, (page - 1) * limit, limit)) ?? noAgent()
      return {
        status: 'success' as const,
        message: 'Knowledge sources retrieved successfully',
        data: items.map((kept) => shown.source(kept, caller.account.tier)),
        pagination: { page, limit, total, pages: Math.ceil(total / limit) }
      }
    }
  )

  app.post(
    '/agents/:id/knowledge_sources',
    {
      bodyLimit: TEXT_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'addKnowledgeSources',
        summary: 'Add knowledge sources',
        description:
          'As JSON a text, questions and answers (`faq`), addresses or a Google Drive id; as multipart/form-data up to 10 files in parts named `file`, with optional fields `title`, `agent_knowledge_folder`, `is_selected` and `type`: with `faq` a CSV file of two columns or a JSON list of `question` and `answer` is read as one passage a pair. Training begins at once. Always answers with the list of what was added.',
        consumes: ['application/json', 'multipart/form-data'],
        params: inAgent,
        body: SourceDraft,
        response: { 201: SourcesAdded }
      },
      config: {
        permit: ['MANAGE_KNOWLEDGE_BASE'],
        receiveMs: UPLOAD_MS,
        answerMs: WRITING_MS,
        insteadOfLarge: UPLOAD_INSTEAD,
        heeds: ['Idempotency-Key'],
        tells: ['ETag', 'Location'],
        form: UploadForm
      }
    },
    async (request, reply) => {
      const {
        caller, params: { id }
      } = request
      const room = (await knowledge.room(caller.account.id, id)) ?? noAgent()
      const { sources, once } = await asked(request, room)
      try {
        request.commits()
        const { answer, replayed } = (await knowledge.add(caller.account.id, id, sources, once)) ?? noAgent()
        if (replayed) {
          await discardAll(blobs, sources)
          reply.header('idempotency-replayed', 'true')
        }
        const [only] = answer.length === 1 ? answer : []
        if (only) reply.header('etag', shown.sourceTag(only, caller.account.tier))
        reply.code(201).header('location', `/v1/agents/${id}/knowledge_sources/${only?.id ?? ''}`)
        return {
          status: 'success' as const,
          message: 'Added; training has begun',
          data: answer.map((kept) => shown.source(kept, caller.account.tier))
        }
      } catch (error) {
        await discardAll(blobs, sources)
        throw error
      }
    }
  )

  async function asked (
    request: FastifyRequest, training: AccountRoom
  ): Promise<{ sources: NewSource[], once: Once | undefined }> {
    const once = onceOf(request)
    const storage = await knowledge.storage(request.caller.account.id)
    if (!request.isMultipart()) {
      const draft = request.body as SourceDraft
      const bytes = Buffer.byteLength(draft.plain_text ?? textOfPairs(draft.faq ?? []))
      // Found out before anything is written; decided for good in the transaction, where a repeated request is answered
      // as the first was.
      if (!once) checkRoom({ counted: draft.is_selected === false ? 0 : bytes, stored: bytes }, { training, storage })
      return { sources: [await newSource(blobs, draft)], once }
    }
    // Before it is received: a file has at least a byte.
    if (!once) checkRoom({ counted: 0, stored: 1 }, { training, storage })
    const { sources, digest } = await receive(request, blobs)
    return { sources, once: once && { ...once, fingerprint: digest } }
  }

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
        response: { 200: SourceAnswer, 304: unchanged }
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
