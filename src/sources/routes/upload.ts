import { createHash, type Hash } from 'node:crypto'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Writable } from 'node:stream'
import type { Id } from '../../../schema/common.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { Refusal, invalid, shortened } from '../../platform/errors.ts'
import { inUnits } from '../../platform/http/bodies/receive.ts'
import { stageStream } from '../stage.ts'
import type { NewSource, StagedFile } from '../contract.ts'

/** Files a request may carry. */
export const MAX_FILES = 10
const MAX_FIELDS = 8

/** Limits of a multipart request; `fileSize` in bytes. */
export const uploadLimits = (fileSize: number) => ({
  fileSize,
  files: MAX_FILES,
  fields: MAX_FIELDS,
  fieldSize: 4096,
  fieldNameSize: 64,
  parts: MAX_FILES + MAX_FIELDS,
  headerPairs: 100
})

/** What a form may carry, and what is done with its fields; `fileSize` in bytes, that of the plugin without it. */
interface FormRules { files: number, fileSize?: number, onField: (name: string, value: string) => void }

/** What was uploaded: the sources to add, and a digest of everything that was sent. */
export interface Upload { sources: NewSource[], digest: string }

/** What a file is read as. */
type FileType = 'docs' | 'faq'

/** Fields that go with files; they hold for all files of the request. */
interface Fields { title?: string, folder?: Id, is_selected?: boolean, type?: FileType }

/** Receives files as sources. Refuses what `receiveForm` does, and a field that sources do not have. */
export async function receive (request: FastifyRequest, blobs: Blobs): Promise<Upload> {
  const fields: Fields = {}
  const { files, digest } = await receiveForm(
    request,
    blobs,
    { files: MAX_FILES, onField: (name, value) => readField(fields, name, value) },
    ({ length }) => {
      if (fields.title !== undefined && length > 1) {
        throw invalid({
          field: 'title', message: 'title goes with one file only; several files are titled by their names.'
        })
      }
    }
  )
  const { title, type = 'docs', ...common } = fields
  return { digest, sources: files.map((file) => ({ ...common, type, title: title ?? (file.name || 'File'), file })) }
}

/**
 * Receives the files of a form piece by piece into the data file, and a digest of everything that was sent. Whatever
 * breaks off, or `check` throws at, leaves nothing. Refuses with `payload_too_large` a file over the limit and too many
 * of them, with VALIDATION_ERROR a request without files.
 */
export async function receiveForm (
  request: FastifyRequest, blobs: Blobs, rules: FormRules,
  check: (files: readonly StagedFile[]) => void | Promise<void> = () => {}
): Promise<{ files: StagedFile[], digest: string }> {
  const digest = createHash('sha256')
  const files: StagedFile[] = []
  try {
    for await (const part of partsOf(request, rules)) {
      digest.update(`\n${part.type} ${part.fieldname}\n`)
      if (part.type === 'field') {
        digest.update(String(part.value))
        rules.onField(part.fieldname, String(part.value))
        continue
      }
      digest.update(`${nameOf(part.filename)}\n`)
      files.push(await receiveFile(request, part, blobs, digest))
    }
    if (files.length === 0) throw noFile()
    await check(files)
  } catch (error) {
    await Promise.all(files.map(({ blob }) => blobs.discard(blob)))
    throw error
  }
  return { files, digest: digest.digest('hex') }
}

/**
 * The files of a request one by one, for callers that do not store them; `cutAt` once its bytes have been read: the
 * limit, if it is over it.
 */
export async function * files (
  request: FastifyRequest
): AsyncGenerator<{
  name: string, type: FileType, bytes: AsyncIterable<Uint8Array>, cutAt: () => number | undefined
}> {
  const fields: Fields = {}
  let read: FileType | undefined
  for await (const part of partsOf(request)) {
    if (part.type === 'file') {
      checkName(part)
      const { type = 'docs' } = fields
      yield { name: nameOf(part.filename), type, bytes: bytesOf(part), cutAt: () => cutAt(part) }
      read = type
    } else readField(fields, part.fieldname, String(part.value))
    if (read && read !== (fields.type ?? 'docs')) {
      throw invalid({ field: 'type', message: 'Send type before the file in the form: the file is read as it arrives.' })
    }
  }
}

/** The parts of a request. Refuses what is not a whole form, or has more parts than may be sent at once. */
async function * partsOf (
  request: FastifyRequest, { files, fileSize }: Pick<FormRules, 'files' | 'fileSize'> = { files: MAX_FILES }
) {
  limitBoundaries(request, MAX_FILES + MAX_FIELDS + 1)
  try {
    yield * request.parts({ limits: { files, ...(fileSize !== undefined && { fileSize }) } })
  } catch (error) {
    throw brokenForm(error as Error, files)
  }
}

/** The bytes of a part. */
async function * bytesOf ({ file }: MultipartFile): AsyncGenerator<Uint8Array> {
  try {
    yield * file
  } catch (error) {
    throw brokenForm(error as Error)
  }
}

function brokenForm (error: Error & { code?: string }, files = MAX_FILES): Refusal {
  if (error.code === 'FST_FILES_LIMIT' || error.code === 'FST_PARTS_LIMIT' || error.code === 'FST_FIELDS_LIMIT') {
    return new Refusal(
      'payload_too_large',
      `A request takes at most ${files} files and ${MAX_FIELDS} fields. Send the others with another request.`,
      { cause: error }
    )
  }
  return invalid({
    field: 'body', message: 'body is not a complete multipart/form-data form; it may have been cut off. Send it again.'
  })
}

async function receiveFile (request: FastifyRequest, part: MultipartFile, blobs: Blobs, digest: Hash) {
  checkName(part)
  const file = await stageStream(blobs, bytesOf(part), nameOf(part.filename), (piece) => {
    request.underWay(piece.length)
    digest.update(piece)
  })
  const limit = cutAt(part)
  if (limit === undefined) return file
  await blobs.discard(file.blob)
  throw tooLarge(limit)
}

/**
 * Bytes after which the rest of a file was thrown away; undefined where there was no rest. Known once it has been read.
 */
function cutAt ({ file }: MultipartFile): number | undefined {
  return file.truncated ? file.bytesRead : undefined
}

/** A file over the upload limit. */
export function tooLarge (limit: number) {
  return new Refusal(
    'payload_too_large',
    `The file is larger than the ${inUnits(limit)} that may be uploaded. Split it and upload the parts.`,
    { fields: { limit } }
  )
}

function checkName ({ fieldname }: MultipartFile) {
  if (!fieldname) throw noName()
  if (fieldname !== 'file' && fieldname !== 'files') {
    throw invalid({
      field: shortened(fieldname),
      message: `${shortened(fieldname)} is not a known part; send files as parts named "file".`
    })
  }
}

function readField (fields: Fields, name: string, value: string) {
  if (!name) throw noName()
  const wrong = (what: string) => invalid({ field: name, message: `${name} must be ${what}.` })
  if (name === 'title') {
    if (!value.trim() || value.length > 500 || value.includes('\0')) throw wrong('1 to 500 characters')
    fields.title = value
  } else if (name === 'agent_knowledge_folder') {
    if (!/^[1-9]\d{0,15}$/.test(value)) throw wrong('the number of a folder')
    fields.folder = Number(value)
  } else if (name === 'is_selected') {
    if (value !== 'true' && value !== 'false') throw wrong('true or false')
    fields.is_selected = value === 'true'
  } else if (name === 'type') {
    if (value !== 'docs' && value !== 'faq') throw wrong('docs or faq')
    fields.type = value
  } else {
    throw invalid({
      field: shortened(name),
      message: `${shortened(name)} is not a known field; a file takes title, agent_knowledge_folder, is_selected and type.`
    })
  }
}

/** What the client calls the file, as a title: its last part, without what no person typed. Never used as a path. */
function nameOf (name: string): string {
  // eslint-disable-next-line no-control-regex
  return (name.split(/[\\/]/).at(-1) ?? '').replace(/[\0-\x1f\x7f]/g, '').toWellFormed().trim().slice(0, 255)
}

/** The types of the parser say that every part has a name; a part need not. */
function noName () {
  return invalid({ field: 'body', message: 'body has a part without a name; send files as parts named "file".' })
}

/** The refusal of a form without a file. */
export function noFile () {
  return invalid({ field: 'file', message: 'file is required: send it as a part named "file".' })
}

/** The boundary of a form, as its header names it. */
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

/** A form has more parts than it may have. */
class TooManyParts extends Error {
  readonly code = 'FST_PARTS_LIMIT'
}

/**
 * Ends the reading of a form as soon as it holds more boundaries than `most` parts have. The parser itself tells only
 * once it has made a part of each that came together: of 100 KB of boundaries 20,000. To be called before it is read.
 */
function limitBoundaries (request: FastifyRequest, most: number) {
  const { raw } = request
  const [, quoted, plain] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return
  const mark = Buffer.from(`\r\n--${boundary}`)
  const pipe = raw.pipe
  raw.pipe = (to, options) => {
    raw.pipe = pipe
    // In front of the parser, which then gets nothing of what is too much.
    raw.on('data', watching(mark, most, to as unknown as Writable))
    return raw.pipe(to, options)
  }
}

/** Counts marks in what comes piece by piece, and ends the parser when there are more than `most`. */
function watching (mark: Buffer, most: number, parser: Writable) {
  let found = 0
  // What may be the beginning of one, from the piece before.
  let rest = Buffer.alloc(0)
  return (piece: Buffer) => {
    const ends = Buffer.concat([rest, piece.subarray(0, mark.length - 1)])
    if (ends.includes(mark)) found++
    for (let at = piece.indexOf(mark); at !== -1 && found <= most; at = piece.indexOf(mark, at + mark.length)) found++
    if (found > most) parser.destroy(new TooManyParts('The form has too many parts.'))
    rest = Buffer.from(piece.subarray(-(mark.length - 1)))
  }
}
