import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { KnowledgeSource, SourceDraft, UploadForm, type KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT, TEXT_BODY_LIMIT, UPLOAD_INSTEAD, UPLOAD_MS, WRITING_MS, type Shown } from '../../agents/index.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { created } from '../../platform/http/resources/answer.ts'
import type { IdempotencyKey } from '../../platform/storage/contract.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { textOfPairs } from '../../reading/pairs.ts'
import { checkRoom } from '../life/step.ts'
import { discardAll } from '../stage.ts'
import type { KnowledgeStore } from '../store.ts'
import type { AccountRoom, NewSource } from '../contract.ts'
import { newSource } from './draft.ts'
import { receive } from './upload.ts'

const SourcesAdded = success(
  Type.Array(KnowledgeSource, {
    description: 'The added sources, in the order sent; a single source is a list of one'
  }),
  {
    title: 'KnowledgeSourcesAdded', description: 'The sources that were added'
  }
)

/** How another source is refused where an agent has as many as it may have. */
export const TOO_MANY_SOURCES: Way = [
  'limit_reached', 'This agent has 10000 sources and may have 10000. Remove some, or put several texts into one.'
]

/** Adding knowledge sources to an agent, as JSON or as files. */
export const addRoute: FastifyPluginAsync<{
  knowledge: KnowledgeStore, blobs: Blobs, shown: Shown
}> = async (app, { knowledge, blobs, shown }) => {
  app.route(route({
    post: '/agents/:id/knowledge_sources',
    id: 'addKnowledgeSources',
    tag: 'Knowledge',
    summary: 'Add knowledge sources',
    description:
      'Send a text, questions and answers (`faq`), URLs or a Google Drive id as JSON, or up to 10 files as multipart/form-data in parts named `file`, with optional fields `title`, `agent_knowledge_folder`, `is_selected` and `type`. With type `faq`, a CSV file of two columns or a JSON list of `question` and `answer` is read as one passage per pair. Training starts immediately. The response is always a list of the added sources.',
    who: ['MANAGE_KNOWLEDGE_BASE'],
    params: Type.Object({ id: PathId }),
    body: SourceDraft,
    form: UploadForm,
    limits: {
      bodyLimit: TEXT_BODY_LIMIT, receiveMs: UPLOAD_MS, answerMs: WRITING_MS, insteadOfLarge: UPLOAD_INSTEAD
    },
    idempotent: true,
    tells: ['ETag'],
    missing: NO_AGENT,
    answer: created(SourcesAdded, 'Added; training has begun', {
      show: (kept: readonly KnowledgeSourceRecord[], { caller }) =>
        kept.map((one) => shown.source(one, caller.account.tier)),
      // Of several, the list that they are in.
      at: ([first, ...others], { id }) =>
        `/v1/agents/${id}/knowledge_sources/${others.length === 0 ? first?.id ?? '' : ''}`
    }),
    refuses: [TOO_MANY_SOURCES],
    handle: async ({ caller, owner, params: { id }, once: asOnce, request, reply }) => {
      const room = await knowledge.room(owner, id)
      if (!room) return undefined
      const { sources, once } = await asked(request, room, asOnce)
      try {
        request.commits()
        const done = await knowledge.add(owner, id, sources, once)
        if (!done || done.replayed) await discardAll(blobs, sources)
        const [only] = done?.answer.length === 1 ? done.answer : []
        if (only) reply.header('etag', shown.sourceTag(only, caller.account.tier))
        return done
      } catch (error) {
        await discardAll(blobs, sources)
        throw error
      }
    }
  }))

  async function asked (
    request: FastifyRequest, training: AccountRoom, once: IdempotencyKey | undefined
  ): Promise<{ sources: NewSource[], once: IdempotencyKey | undefined }> {
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
