import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { AuditEvent, AuditReport } from '../../schema/audit.ts'
import { closed, Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { listInParts, ok } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import type { Clock } from '../platform/clock.ts'
import { reportsOf } from './report.ts'
import type { AuditStore } from './store.ts'

const Query = Type.Object({
  ...inParts('Events'),
  user: Type.Optional(Type.Integer({ ...Id, description: 'Only what this user did' })),
  target: Type.Optional(Type.String({
    maxLength: 200, pattern: '^[\\w/.-]+$', description: 'Only what was done to this object', examples: ['agents/3']
  }))
}, closed)

/** What was done in an account, and by whom. */
export const auditRoutes: FastifyPluginAsync<{ audit: AuditStore, clock: Clock }> = async (app, { audit, clock }) => {
  const report = reportsOf(audit, clock)

  app.route(route({
    get: '/audit',
    id: 'listAuditEvents',
    tag: 'Account',
    summary: 'List audit events',
    description:
      'Returns every change to the account, its agents and its knowledge, and who read or exported a visitor, ' +
      'newest first. An event is stored in the same transaction as its change; it names fields, never their ' +
      'contents.',
    who: ['CONFIGURE_BUSINESS'],
    query: Query,
    answer: listInParts(
      AuditEvent, { title: 'AuditEventList', description: 'A page of audit events, newest first' },
      'Audit events retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => audit.list(owner, filter, after, limit)
  }))

  app.route(route({
    get: '/audit/verification',
    id: 'verifyAudit',
    tag: 'Account',
    summary: 'Verify the audit log',
    description:
      'Compares every event with its hash and with that of the event before it, as `agenthall audit verify` does. A ' +
      'log is read at most once an hour for this: `verified_at` says when. Events that expired are not missing.',
    who: ['CONFIGURE_BUSINESS'],
    answer: ok(
      success(AuditReport, { title: 'AuditReportAnswer', description: 'Whether the log is as it was written' }), 'Verified'
    ),
    handle: async ({ owner }) => await report(owner)
  }))
}
