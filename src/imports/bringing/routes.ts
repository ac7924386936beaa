import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import {
  IMPORT_KINDS, Import, ImportApply, ImportForm, ImportSummary, type ImportKind
} from '../../../schema/imports.ts'
import { route, type Caller } from '../../access/index.ts'
import { UPLOAD_MS } from '../../agents/index.ts'
import type { Actor } from '../../config-as-code/index.ts'
import { invalid, Refusal, shortened } from '../../platform/errors.ts'
import { created, list, ok, raw, removed } from '../../platform/http/resources/answer.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { receiveForm, uploadLimits } from '../../sources/index.ts'
import multipart from '@fastify/multipart'
import { MOST_GIVEN } from '../apart.ts'
import type { Imports } from './open.ts'
import { summaryOf } from './store.ts'

const tag = 'Agents'
const who = ['MANAGE_AGENTS'] as const
const one = Type.Object({ id: PathId })
const missing = 'No such import.'
const MOST_FILES = 10
const TOO_LARGE = `The files are larger than ${MOST_GIVEN / 2 ** 20} MiB together. Import them in parts.`
const answer = success(Import, { title: 'ImportAnswer', description: 'The import' })

/** Imports from other products: upload, preview, apply. */
export const importRoutes: FastifyPluginAsync<{
  imports: Imports
  blobs: Blobs
  /** Names and ids that authors of agents may refer to. */
  namesOf: (owner: number) => Promise<{ ticketing: readonly string[], actions: readonly number[] }>
}> = async (app, { imports, blobs, namesOf }) => {
  const { store } = imports
  await app.register(multipart, { limits: uploadLimits(MOST_GIVEN), throwFileSizeLimit: false })
  const actorOf = async ({ account: { id, tier }, permissions, user, by }: Caller): Promise<Actor> => ({
    author: { tier, permissions, ...await namesOf(id) }, user: user.id, by: by.kind, key: by.kind === 'key' ? by.id : null
  })

  app.route(route({
    get: '/imports',
    id: 'listImports',
    tag,
    summary: 'List imports',
    description: 'Newest first, without their plans and reports.',
    who,
    answer: list(ImportSummary, {
      title: 'ImportList', description: 'The imports', placeOf: ({ id }) => -id
    }, 'Imports retrieved successfully'),
    handle: async ({ owner }) => (await store.list(owner)).map(summaryOf)
  }))

  app.route(route({
    post: '/imports',
    id: 'createImport',
    tag,
    summary: 'Upload an export of another product',
    description:
      'Send up to 10 files, or a zip archive, as multipart/form-data in parts named `file`, and `kind` if it should not be detected from them. The files are analysed in the background, in the sandbox, and nothing in them is run. Once `state` is `planned`, `plan` shows what would be created and `report` the outcome for each part. Nothing is created yet. The files are deleted after 7 days.',
    who,
    form: ImportForm,
    limits: { bodyLimit: MOST_GIVEN + 2 ** 20, receiveMs: UPLOAD_MS, insteadOfLarge: 'Import the files in parts.' },
    idempotent: true,
    answer: created(answer, 'Import created successfully'),
    refuses: [['limit_reached', 'An account may have 50 imports. Delete one that is not needed.']],
    handle: async ({ owner, once, request }) => {
      if (!request.isMultipart()) {
        throw new Refusal('unsupported_media_type', 'Send the files as multipart/form-data, each as a part named "file".')
      }
      await store.demandRoom(owner, 1)
      const { files, digest, from } = await received(request, blobs)
      try {
        request.commits()
        const done = await store.add(owner, files, from, once && { ...once, fingerprint: digest })
        if (done.replayed) await discard(files)
        return { ...done, answer: { ...summaryOf(done.answer), plan: null, report: [] } }
      } catch (error) {
        await discard(files)
        throw error
      }
    }
  }))

  const discard = (files: Array<{ blob: number }>) => Promise.all(files.map(({ blob }) => blobs.discard(blob)))

  app.route(route({
    get: '/imports/:id',
    id: 'getImport',
    tag,
    summary: 'Read an import',
    description: 'Shows what would be or was created, and the outcome for each part of the files.',
    who,
    params: one,
    missing,
    answer: ok(answer, 'Import retrieved successfully'),
    handle: ({ owner, params: { id } }) => imports.shown(owner, id)
  }))

  app.route(route({
    get: '/imports/:id/report',
    id: 'getImportReport',
    tag,
    summary: 'Download the full report of an import',
    description: 'A JSON file with `kind` and, in `report`, a line for each part of the files, with values that are not kept anywhere else in full.',
    who,
    params: one,
    answer: raw({ 200: Type.String({ description: 'The report' }) }),
    async handle ({ owner, params: { id }, reply }) {
      const report = await imports.report(owner, id)
      if (!report) throw new Refusal('not_found', 'There is no report of this import.')
      return await reply.type('application/json')
        .header('content-disposition', `attachment; filename="import-${id}-report.json"`)
        .send(Readable.from(report, { objectMode: false }))
    }
  }))

  app.route(route({
    post: '/imports/:id/apply',
    id: 'applyImport',
    tag,
    summary: 'Apply an import',
    description:
      'Creates everything or nothing: agents, their sources, which are trained in the background, test questions, and actions, which are off. New agents are Inactive; changes to an existing agent go into its draft. Whatever came from the same place before is updated, not duplicated. Also needs MANAGE_KNOWLEDGE_BASE, and CONFIGURE_BUSINESS if there are actions.',
    who,
    params: one,
    body: ImportApply,
    limits: { answerMs: 120_000 },
    missing,
    answer: ok(answer, 'Import applied'),
    refuses: [
      ['not_planned', 'The files of this import are still being read. Try again in a moment.'],
      ['gone', 'The files of this import have been deleted. Upload them again.'],
      ['limit_reached', 'An account may have 200 actions. Remove one that is not needed.'],
      ['precondition_failed', 'Something has changed since this was planned: agents/support. Nothing was applied; plan again.']
    ],
    handle: async ({ caller, owner, params: { id }, body }) =>
      await imports.apply(owner, await actorOf(caller), id, body.agent)
  }))

  app.route(route({
    delete: '/imports/:id',
    id: 'deleteImport',
    tag,
    summary: 'Delete an import',
    description: 'Permanently deletes its files and its report. Whatever it created is kept.',
    who,
    params: one,
    missing,
    answer: removed('Import deleted successfully'),
    handle: ({ owner, params: { id } }) => store.remove(owner, id)
  }))
}

/** The files of a request, and their stated kind. */
async function received (request: FastifyRequest, blobs: Blobs) {
  let from: ImportKind | null = null
  const { files, digest } = await receiveForm(request, blobs, {
    files: MOST_FILES,
    fileSize: MOST_GIVEN,
    onField (name, value) {
      if (name !== 'kind') throw invalid({ field: shortened(name), message: `${shortened(name)} is not a known field; an import takes kind.` })
      const kind = IMPORT_KINDS.find((one) => one === value)
      if (!kind && value !== 'auto') throw invalid({ field: 'kind', message: `kind must be auto or one of ${IMPORT_KINDS.join(', ')}.` })
      from = kind ?? null
    }
  }, (all) => {
    if (all.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_GIVEN) throw new Refusal('payload_too_large', TOO_LARGE)
  })
  return { files, digest, from: from as ImportKind | null }
}
