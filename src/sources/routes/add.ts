import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { KnowledgeSource, SourceDraft, UploadForm } from '../../../schema/knowledge.ts'
import { noAgent, TEXT_BODY_LIMIT, UPLOAD_INSTEAD, UPLOAD_MS, WRITING_MS, type Shown } from '../../agents/index.ts'
import { refusal } from '../../platform/http/openapi.ts'
import type { Once } from '../../platform/storage/contract.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { textOfPairs } from '../../reading/pairs.ts'
import { checkRoom } from '../life/step.ts'
import { discardAll } from '../stage.ts'
import type { AccountRoom, KnowledgeStore, NewSource } from '../store.ts'
import { newSource } from './draft.ts'
import { receive } from './upload.ts'

const SourcesAdded = success(
  Type.Array(KnowledgeSource, {
    description: 'What was added, in the order in which it was sent; one source is a list of one'
  }),
  {
    title: 'KnowledgeSourcesAdded', description: 'The sources that were added'
  }
)

/** How another source is refused where an agent has as many as it may have. */
export const TOO_MANY_SOURCES = refusal(
  'limit_reached', 'This agent has 10000 sources and may have 10000. Remove some, or put several texts into one.'
)

/** Adding knowledge sources to an agent, as JSON or as files. */
export const addRoute: FastifyPluginAsyncTypebox<{
  knowledge: KnowledgeStore, blobs: Blobs, shown: Shown
}> = async (app, { knowledge, blobs, shown }) => {
  app.post(
    '/agents/:id/knowledge_sources',
    {
      bodyLimit: TEXT_BODY_LIMIT,
      schema: {
        tags: ['Knowledge'],
        operationId: 'addKnowledgeSources',
        summary: 'Add knowledge sources',
        description:
          'As JSON a text, questions and answers (`faq`), addresses or a Google Drive id; as multipart/form-data up to 10 files in parts named `file`, with optional fields `title`, `agent_knowledge_folder`, `is_selected` and `type`: with `faq` a CSV file of two columns or a JSON list of `question` and `answer` is read as one passage a pair. Training begins at once. Always answers with the list of what was added.',
        consumes: ['application/json', 'multipart/form-data'],
        params: Type.Object({ id: PathId }),
        body: SourceDraft,
        response: { 201: SourcesAdded, 409: TOO_MANY_SOURCES }
      },
      config: {
        permit: ['MANAGE_KNOWLEDGE_BASE'],
        receiveMs: UPLOAD_MS,
        answerMs: WRITING_MS,
        insteadOfLarge: UPLOAD_INSTEAD,
        heeds: ['Idempotency-Key'],
        tells: ['ETag'],
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
}
