import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, PathId } from '../../schema/common.ts'
import { VisitorId } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { Receipt, RetentionPreview } from '../../schema/privacy.ts'
import { route } from '../access/index.ts'
import { Refusal } from '../platform/errors.ts'
import { listInParts, ok, raw } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import { exportOf } from './export.ts'
import type { Privacy } from './open.ts'
import { backupsUntil, previewSentence } from './retention.ts'

const tag = 'Privacy'
const inVisitor = Type.Object({ id: VisitorId })
/** The same message whether it does not exist or belongs to somebody else. */
const NO_VISITOR = 'No such visitor.'
/** Erasing many conversations runs in slices that do not block others. */
const ERASE_MS = 240_000

/** Retention, and export and erasure of visitors. */
export const privacyRoutes: FastifyPluginAsync<{ privacy: Privacy }> = async (app, { privacy }) => {
  const { store, exporting, plan, clock } = privacy

  app.route(route({
    get: '/agents/:id/retention',
    id: 'previewRetention',
    tag,
    summary: 'Preview what retention would remove',
    description:
      "Based on the agent's `gdpr_settings.data_retention_days`, or on the `days` you are considering. Retention runs once a day.",
    who: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS', 'CONFIGURE_BUSINESS'],
    params: Type.Object({ id: PathId }),
    query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })) }, closed),
    missing: 'No such agent.',
    answer: ok(
      success(RetentionPreview, { title: 'RetentionPreviewAnswer', description: 'What would be removed' }),
      'Preview made'
    ),
    handle: async ({ owner, params: { id }, query }) => {
      const found = await store.preview(owner, id, query.days)
      if (!found) return undefined
      const { days, silent_since: since, removed } = found
      return {
        agent: id,
        data_retention_days: days,
        silent_since: since,
        removed,
        backups_until: days === null ? null : backupsUntil(plan, clock.micros()),
        message: previewSentence(days, removed)
      }
    }
  }))

  app.route(route({
    get: '/privacy/receipts',
    id: 'listReceipts',
    tag,
    summary: 'List erasure receipts',
    description:
      'Receipts of daily retention and of erasures: counts and times, without any removed content. Newest first.',
    who: ['CONFIGURE_BUSINESS'],
    query: Type.Object(inParts('Receipts'), closed),
    answer: listInParts(
      Receipt, { title: 'ReceiptList', description: 'A part of the receipts, newest first' },
      'Receipts retrieved successfully'
    ),
    handle: ({ owner, part: { after, limit } }) => store.receipts(owner, after, limit)
  }))

  app.route(route({
    get: '/visitors/:id/export',
    id: 'exportVisitor',
    audit: 'reading',
    tag,
    summary: "Export a visitor's data",
    description:
      'Returns one JSON file: who they are, what they agreed to, every conversation with its messages, and every file in base64.',
    who: ['CONFIGURE_BUSINESS'],
    params: inVisitor,
    answer: raw({
      200: Type.Object(
        {}, { additionalProperties: true, title: 'VisitorExport', description: 'The file to save' }
      )
    }),
    handle: async ({ owner, params: { id }, reply }) => {
      const pieces = await exportOf(exporting, owner, id)
      if (!pieces) throw new Refusal('not_found', NO_VISITOR)
      return reply
        .type('application/json; charset=utf-8')
        .headers({ 'content-disposition': `attachment; filename="${id}.json"`, 'cache-control': 'no-store' })
        .send(Readable.from(pieces, { objectMode: false }))
    }
  }))

  app.route(route({
    delete: '/visitors/:id',
    id: 'eraseVisitor',
    tag,
    summary: 'Erase a visitor',
    description:
      'Also erases all of their conversations. Within seconds nobody can read any of it. The receipt lists the copies that other systems may hold.',
    who: ['CONFIGURE_BUSINESS'],
    params: inVisitor,
    limits: { answerMs: ERASE_MS },
    missing: NO_VISITOR,
    answer: ok(success(Receipt, { title: 'ReceiptAnswer', description: 'The receipt' }), 'Visitor erased'),
    handle: ({ owner, params: { id } }) => store.erase(owner, id)
  }))
}
