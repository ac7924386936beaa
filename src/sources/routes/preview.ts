import { createHash, type Hash } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { nullable, PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { SourceDraft, PreviewForm } from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT, TEXT_BODY_LIMIT, UPLOAD_INSTEAD, UPLOAD_MS } from '../../agents/index.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import type { Idempotency } from '../../platform/storage/sqlite/idempotency.ts'
import { draftErrors } from './draft.ts'
import type { Asker } from '../work/pages.ts'
import type { Preview } from '../work/preview.ts'
import type { KnowledgeStore } from '../store.ts'
import { files, noFile, tooLarge } from './upload.ts'

/** How long reading a file or fetching a page may take, in milliseconds. */
const READING_MS = 60_000

const Cost = Type.Object(
  {
    bytes: Type.Integer({ description: 'Bytes of training text it would add' }),
    fits: Type.Boolean(),
    used: Type.Integer(),
    allowed: Type.Integer(),
    format: Type.String(),
    no_of_chars: Type.Integer(),
    no_of_hidden_chars: Type.Integer({
      description:
        'Characters left out because they are invisible: hidden by styles or settings, too small, or off the page'
    }),
    no_of_pages: nullable(Type.Integer()),
    no_of_rows: nullable(Type.Integer())
  },
  { title: 'KnowledgePreview' }
)

/** What a source would cost, before it is added. */
export const previewRoutes: FastifyPluginAsync<{
  knowledge: KnowledgeStore, preview: Preview, idempotency: Idempotency
}> = async (app, { knowledge, preview, idempotency }) => {
  app.route(route({
    post: '/agents/:id/knowledge_sources/preview',
    id: 'previewKnowledgeSource',
    audit: 'never',
    tag: 'Knowledge',
    summary: 'Preview a knowledge source',
    description:
      'Reads a text, a file (multipart/form-data), the first page at a URL or a Google Drive file, and returns how much training text it would add and whether it fits. Nothing is stored.',
    who: ['MANAGE_KNOWLEDGE_BASE'],
    params: Type.Object({ id: PathId }),
    body: SourceDraft,
    form: PreviewForm,
    limits: {
      bodyLimit: TEXT_BODY_LIMIT, receiveMs: UPLOAD_MS, answerMs: READING_MS, insteadOfLarge: UPLOAD_INSTEAD
    },
    idempotent: true,
    missing: NO_AGENT,
    answer: ok(
      success(Cost, { title: 'KnowledgePreviewAnswer', description: 'How much it would add' }),
      ({ fits }) => fits ? 'It fits' : 'It does not fit'
    ),
    handle: async ({ owner, params: { id }, body, once, request, reply }) => {
      const room = await knowledge.room(owner, id)
      if (!room) return undefined
      const { used, allowed } = room
      const asker = { holder: owner, signal: untilClosed(reply) }
      const shown = (cost: Awaited<ReturnType<typeof ofDraft>>): Static<typeof Cost> => ({
        ...cost, used, allowed, fits: used + cost.bytes <= allowed
      })
      // What a form holds is known only when it has been read.
      const form = request.isMultipart() ? await ofFiles(request, asker) : undefined
      return form
        ? await idempotency.reading(owner, once && { ...once, fingerprint: form.digest }, async () => shown(form.cost))
        : await idempotency.reading(owner, once, async () => shown(await ofDraft(body, asker)))
    }
  }))

  async function ofDraft (draft: SourceDraft, asker: Asker) {
    const errors = draftErrors(draft)
    if (errors.length) throw invalid(...errors)
    return await preview.draft(draft, asker)
  }

  async function ofFiles (request: FastifyRequest, asker: Asker) {
    let cost: Awaited<ReturnType<typeof ofDraft>> | undefined
    const digest = createHash('sha256')
    for await (const { name, type, bytes, cutAt } of files(request)) {
      if (cost) throw invalid({ field: 'file', message: 'Preview one file at a time.' })
      // Cut off at the limit it may well be unreadable; that is not what is wrong with it.
      digest.update(`${type}\n${name}\n`)
      const read = await preview
        .file(digested(bytes, digest), name, type === 'faq', asker)
        .catch((error: unknown) => ({ error }))
      const limit = cutAt()
      if (limit !== undefined) throw tooLarge(limit)
      if ('error' in read) throw read.error
      cost = read
    }
    if (!cost) throw noFile()
    return { cost, digest: digest.digest('hex') }
  }
}

/** The same bytes, each digested as it passes. */
async function * digested (bytes: AsyncIterable<Uint8Array>, digest: Hash) {
  for await (const piece of bytes) {
    digest.update(piece)
    yield piece
  }
}

/** A signal that is aborted when the client has disconnected, or got a timeout. */
export function untilClosed ({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort(new Refusal('unavailable', 'The client has disconnected.')))
  return gone.signal
}
