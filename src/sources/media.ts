import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { Refusal } from '../platform/errors.ts'
import type { KnowledgeStore } from './store.ts'

/**
 * The stored files. Whoever knows a file's random address may have it, as with any such link; it is handed over as bytes to be
 * saved, never as something a browser would run.
 */
export const media: FastifyPluginAsyncTypebox<{ knowledge: KnowledgeStore, blobs: Blobs }> = async (app, { knowledge, blobs }) => {
  app.get('/media/:path', {
    schema: { hide: true, params: Type.Object({ path: Type.String({ pattern: '^[A-Za-z0-9_-]{32}$' }) }) },
    config: { permit: 'anyone' },
    // An address of another form is as absent as one that was never given out.
    attachValidation: true
  }, async (request, reply) => {
    const kept = request.validationError ? undefined : await knowledge.byFile(request.params.path)
    if (!kept || kept.file_blob === null) throw new Refusal('not_found', 'Nothing is at this address.')
    return reply.headers({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(kept.file_name || 'file').replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`,
      'content-length': parseInt(kept.metadata.file_size),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=3600'
    }).send(Readable.from(blobs.read<Buffer>(kept.file_blob), { objectMode: false }) as never)
  })
}
