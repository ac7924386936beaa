import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { AuditEvent } from '../../schema/audit.ts'
import { closed, Id } from '../../schema/common.ts'
import { route } from '../access/index.ts'
import { listInParts } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import type { AuditStore } from './store.ts'

const Query = Type.Object({
  ...inParts('Events'),
  user: Type.Optional(Type.Integer({ ...Id, description: 'Only what this user did' })),
  target: Type.Optional(Type.String({
    maxLength: 200, pattern: '^[\\w/.-]+$', description: 'Only what was done to this object', examples: ['agents/3']
  }))
}, closed)

/** What was done in an account, and by whom. */
export const auditRoutes: FastifyPluginAsync<{ audit: AuditStore }> = async (app, { audit }) => {
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
}
