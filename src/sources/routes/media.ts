import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Refusal } from '../../platform/errors.ts'
import { openRoute } from '../../access/index.ts'
import { namesTag, notModified } from '../../platform/http/answers.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import type { KnowledgeStore } from '../store.ts'

/** A file that is kept. `path`: random, below the media address. */
interface StoredFile { path: string, name: string, bytes: number, blob: Id }

/** Finds the file at a path below the media address. */
export type FindFile = (path: string) => Promise<StoredFile | undefined>

/** Finds the files of sources. */
export const sourceFiles = (knowledge: Pick<KnowledgeStore, 'byFile'>): FindFile => async (path) => {
  const kept = await knowledge.byFile(path)
  return kept && kept.file_blob !== null
    ? { path: kept.file_path, name: kept.file_name, bytes: parseInt(kept.metadata.file_size), blob: kept.file_blob }
    : undefined
}

/**
 * The stored files of all accounts. Anyone who knows a file's random address may have it, as with any such link; it is
 * sent as a download, never as something a browser would run.
 */
export const media: FastifyPluginAsync<{ files: readonly FindFile[], blobs: Blobs }> = async (
  app, { files, blobs }
) => {
  app.route(openRoute({
    get: '/media/:path',
    id: 'getFile',
    tag: 'Knowledge',
    summary: 'Read a stored file',
    description:
      'Returns the bytes of an uploaded file, at the URL given by its source (`file`) or its message (`attachments`). Anyone who knows the random URL can read it. `Range` is supported.',
    who: 'anyone',
    params: Type.Object({ path: Type.String({ pattern: '^[A-Za-z0-9_-]{32}$' }) }),
    // An address of another form is as absent as one that was never issued.
    fastify: { attachValidation: true },
    produces: 'application/octet-stream',
    answer: raw({
      200: Type.String({ format: 'binary', description: 'The file' }),
      206: Type.String({ format: 'binary', description: 'The part requested with `Range`' })
    }),
    refuses: [['range_not_satisfiable', 'The file has 1024 bytes; ask for a range within them.']],
    handle: async ({ params: { path }, request, reply }) => {
      const kept = request.validationError ? undefined : await find(path)
      if (!kept) throw new Refusal('not_found', 'Nothing is at this address.')
      const { bytes: size } = kept
      const tag = `"${kept.path}"`
      if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
      // A file never changes under its address, so a client requesting the rest has the beginning of the same one.
      const asked =
        request.headers['if-range'] === undefined || request.headers['if-range'] === tag
          ? request.headers.range
          : undefined
      const range = rangeOf(asked, size)
      if (range === 'unsatisfiable') {
        throw new Refusal('range_not_satisfiable', `The file has ${size} bytes; ask for a range within them.`, {
          headers: { 'content-range': `bytes */${size}` }
        })
      }
      const { from, to } = range ?? { from: 0, to: size - 1 }
      if (range) reply.code(206).header('content-range', `bytes ${from}-${to}/${size}`)
      return reply
        .headers({
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(kept.name || 'file').replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`,
          'content-length': to - from + 1,
          'accept-ranges': 'bytes',
          etag: tag,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, max-age=3600'
        })
        .send(Readable.from(part(blobs.read(kept.blob), from, to), { objectMode: false }))
    }
  }))

  async function find (path: string): Promise<StoredFile | undefined> {
    for (const of of files) {
      const found = await of(path)
      if (found) return found
    }
    return undefined
  }
}

/**
 * The first and the last byte of a Range header; undefined for the whole, also if it asks for several parts or uses
 * another unit.
 */
function rangeOf (
  header: string | undefined, size: number
): { from: number, to: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  // Without a beginning: this many bytes at the end.
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return from < size ? { from, to } : 'unsatisfiable'
}

/** The bytes from the one to the other, both included, of what comes in chunks. */
async function * part (chunks: AsyncIterable<Buffer>, from: number, to: number) {
  let at = 0
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at))
    if (wanted.length > 0) yield wanted
    at += chunk.length
    if (at > to) break
  }
}
