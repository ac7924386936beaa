import { hash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors.ts'
import { asset } from '../../process/assets.ts'
import { namesTag, notModified } from '../answers.ts'

/** Where the files for browsers are, in the source tree and in the executable. */
export const WEB = 'build/web'
export const MANIFEST = 'manifest.json'

/** Build output: the file of each entry, `widget/panel` is `widget/panel-K7XQ2M.js`, and all files. */
export interface Manifest { entries: Record<string, string>, files: string[] }

/** A file as it is served. */
interface WebFile { type: string, content: Buffer, brotli: Buffer, tag: string }

/** The files for browsers: built by scripts/build/web.ts, looked up by exact names. */
export interface WebFiles {
  /** The file name that an entry was built into. Refuses with `unavailable` if nothing was built. */
  entry (name: string): string
  /** The names of the entries with this prefix, in order. */
  entries (prefix: string): string[]
  /** The file; undefined for every other name. */
  file (name: string): WebFile | undefined
}

/** How long a response may be cached: forever, if its name changes with its content. */
export const CACHE_CONTROL = {
  forEver: 'public, max-age=31536000, immutable',
  aWhile: 'public, max-age=300, stale-while-revalidate=86400',
  never: 'no-cache'
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  png: 'image/png'
}

/** Opens them; each is read when first requested, `read` by its place in the tree. */
export function webFiles (read: (name: string) => Buffer = asset): WebFiles {
  const known = new Map<string, WebFile>()
  let manifest: Manifest | undefined

  function built (): Manifest {
    try {
      manifest ??= JSON.parse(read(`${WEB}/${MANIFEST}`).toString()) as Manifest
      return manifest
    } catch (cause) {
      throw new Refusal(
        'unavailable',
        'The pages and scripts for browsers are not built. Start the server with "npm start", or run "npm run web" once.',
        { cause }
      )
    }
  }

  return {
    entry: (name) => built().entries[name]!,
    entries: (prefix) => Object.keys(built().entries).filter((name) => name.startsWith(prefix)).sort(),
    file (name) {
      if (!built().files.includes(name)) return undefined
      const content = known.get(name) ?? webFile(name, read(`${WEB}/${name}.br`))
      known.set(name, content)
      return content
    }
  }
}

/** Stored compressed only, which is what nearly every browser accepts. */
function webFile (name: string, brotli: Buffer): WebFile {
  const content = brotliDecompressSync(brotli)
  return {
    type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    content,
    brotli,
    tag: tagOf(content)
  }
}

/** Answers with a file, in the requested encoding, or that it has not changed. `kept`: one of CACHE_CONTROL. */
export function sendWebFile (
  request: FastifyRequest, reply: FastifyReply, { type, content, brotli, tag }: WebFile, kept: string
) {
  reply.headers({ 'cache-control': kept, vary: 'accept-encoding' })
  if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
  const isBrotli = takesBrotli(request.headers['accept-encoding'])
  if (isBrotli) reply.header('content-encoding', 'br')
  return reply.headers({ 'content-type': type, etag: tag }).send(isBrotli ? brotli : content)
}

/** Answers with a page built here, or that it has not changed. Its headers are set before. */
export function sendPage (request: FastifyRequest, reply: FastifyReply, page: string) {
  const tag = tagOf(page)
  if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
  return reply.header('etag', tag).type('text/html; charset=utf-8').send(page)
}

/** The ETag of content: it changes with every byte. */
export function tagOf (content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 16)}"`
}

/** Whether a client accepts brotli: listed, and not with a weight of zero. */
function takesBrotli (header: string | string[] = ''): boolean {
  return String(header).split(',').some((one) => /^\s*br\s*(;\s*q\s*=\s*(0*(?:[.]0*)?[1-9]\S*|1\S*)\s*)?$/i.test(one))
}
