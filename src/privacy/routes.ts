import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../schema/common.ts'
import { VisitorId } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { Receipt, RetentionPreview } from '../../schema/privacy.ts'
import { inParts, listOf, storedPart } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { exportOf } from './export.ts'
import type { Privacy } from './open.ts'
import { backupsUntil, previewSentence } from './retention.ts'

const ReceiptAnswer = success(Receipt, { title: 'ReceiptAnswer', description: 'The proof of it' })
const ReceiptList = listOf(Receipt, { title: 'ReceiptList', description: 'A part of the receipts, newest first' })
const PreviewAnswer = success(RetentionPreview, {
  title: 'RetentionPreviewAnswer', description: 'What would be removed'
})
const inVisitor = Type.Object({ id: VisitorId })
const tags = ['Privacy']
/** An erasure of many conversations goes in slices that hold nobody up. */
const ERASE_MS = 240_000

/** How long things are kept, what is kept of a visitor, and its end. */
export const privacyRoutes: FastifyPluginAsyncTypebox<{ privacy: Privacy }> = async (app, { privacy }) => {
  const { store, exporting, plan, clock } = privacy

  app.get(
    '/agents/:id/retention',
    {
      schema: {
        tags,
        operationId: 'previewRetention',
        summary: 'See what retention would remove',
        description:
          "By the agent's `gdpr_settings.data_retention_days`, or by the `days` that you think of setting. It happens once a day.",
        params: Type.Object({ id: PathId }),
        querystring: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })) }, closed),
        response: { 200: PreviewAnswer }
      },
      config: { permit: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS', 'CONFIGURE_BUSINESS'] }
    },
    async ({ caller, params: { id }, query }) => {
      const found = await store.preview(caller.account.id, id, query.days)
      if (!found) throw new Refusal('not_found', 'No such agent.')
      const { days, silent_since: since, removed } = found
      const until = days === null ? null : backupsUntil(plan, clock.micros())
      const data = {
        agent: id,
        data_retention_days: days,
        silent_since: since,
        removed,
        backups_until: until,
        message: previewSentence(days, removed)
      }
      return { status: 'success' as const, message: 'Preview made', data }
    }
  )

  app.get(
    '/privacy/receipts',
    {
      schema: {
        tags,
        operationId: 'listReceipts',
        summary: 'List what was removed',
        description:
          'Proofs of daily retention and of erasures: numbers and times, no word of what it was. Newest first.',
        querystring: Type.Object(inParts('Receipts'), closed),
        response: { 200: ReceiptList }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async (request) => {
      const { account: { id } } = request.caller
      return {
        status: 'success' as const,
        message: 'Receipts retrieved successfully',
        ...await storedPart(request, id, async (after, limit) => await store.receipts(id, after, limit))
      }
    }
  )

  app.get(
    '/visitors/:id/export',
    {
      schema: {
        tags,
        operationId: 'exportVisitor',
        summary: 'Export everything about a visitor',
        description:
          'One JSON file: who they are, what they agreed to, every conversation with its messages, and every file in base64.',
        params: inVisitor,
        response: {
          200: Type.Object(
            {}, { additionalProperties: true, title: 'VisitorExport', description: 'The file, to be saved' }
          )
        }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async ({ caller, params: { id } }, reply) => {
      const pieces = (await exportOf(exporting, caller.account.id, id)) ?? noVisitor()
      return reply
        .type('application/json; charset=utf-8')
        .headers({ 'content-disposition': `attachment; filename="${id}.json"`, 'cache-control': 'no-store' })
        .send(Readable.from(pieces, { objectMode: false }) as never)
    }
  )

  app.delete(
    '/visitors/:id',
    {
      schema: {
        tags,
        operationId: 'eraseVisitor',
        summary: 'Erase a visitor',
        description:
          'Everything that was said with them goes too, and can be read by nobody within seconds. The receipt names the copies that other systems may hold.',
        params: inVisitor,
        response: { 200: ReceiptAnswer }
      },
      config: { permit: ['CONFIGURE_BUSINESS'], answerMs: ERASE_MS }
    },
    async ({ caller, params: { id } }) => {
      const data = (await store.erase(caller.account.id, id)) ?? noVisitor()
      return { status: 'success' as const, message: 'Visitor erased', data }
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noVisitor (): never {
  throw new Refusal('not_found', 'No such visitor.')
}
