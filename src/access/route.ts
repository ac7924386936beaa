import type { FastifyRequest } from 'fastify'
import type { Id } from '../../schema/common.ts'
import type { Permits } from '../platform/http/permit.ts'
import { pathOf } from '../platform/http/resources/answer.ts'
import { routesOf, type Audited } from '../platform/http/route.ts'
import { inAuditContext, isNothing, type AuditContext, type AuditLog } from '../platform/storage/audit.ts'
import { callerSecret } from './identify.ts'
import type { Caller } from './contract.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where changes made by those who act for an account are recorded. */
    auditLog: AuditLog
  }
}

/** Fields that an event names at most. */
const MAX_FIELDS = 50

/** The caller acting for an account; `owner`: the account. */
export interface AccountAsker { caller: Caller, owner: Id }

/** A route for those who act for an account, by a key or a session. */
export const route = routesOf<Permits['user' | 'session' | 'permissions'], AccountAsker>({
  of: ({ caller }: FastifyRequest) => ({ caller, owner: caller.account.id }),
  secretOf: callerSecret,
  async audited (request, asker, audit, work) {
    const { auditLog } = request.server
    const context = contextOf(request, asker, audit)
    if (audit.kind === 'reading') {
      if (audit.sendsItself) await auditLog.recordReading(context)
      const result = await work()
      if (!audit.sendsItself && !isNothing(result)) await auditLog.recordReading(context)
      return result
    }
    const result = await inAuditContext(context, work)
    // Changes that no transaction recorded, such as several made one after another.
    const isDone = audit.sendsItself || !isNothing(result)
    if (context.state === 'pending' && isDone) await auditLog.record(context)
    return result
  }
})

/** A route that takes neither key nor session. */
export const openRoute = routesOf<'anyone', object>({ of: () => ({}) })

function contextOf (
  request: FastifyRequest, { caller, owner }: AccountAsker, { action, madeId }: Audited
): AuditContext {
  const { body } = request
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return {
    owner,
    user: caller.user.id,
    by: caller.by.kind,
    key: caller.by.kind === 'key' ? caller.by.id : null,
    action,
    // Without the version: agents/3/knowledge_sources/7.
    target: pathOf(request).replace(/^\/v1\//, ''),
    madeId,
    fields: isObject ? Object.keys(body).slice(0, MAX_FIELDS) : [],
    state: 'pending'
  }
}
