import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Permission } from '../../schema/access.ts'
import { Refusal } from '../platform/errors.ts'
import type { Security } from '../platform/http/openapi.ts'
import type { Permit, Permits } from '../platform/http/permit.ts'
import { isWithin } from '../platform/work/within.ts'
import type { Caller } from './contract.ts'
import type { Id } from '../../schema/common.ts'
import { pathOf } from '../platform/http/resources/answer.ts'
import { type Audited, routesOf } from '../platform/http/route.ts'
import { type AuditContext, type AuditLog, inAuditContext, isNothing } from '../platform/storage/audit.ts'
import { callerSecret } from './identify.ts'

declare module '../platform/http/permit.ts' {
  interface Permits {
    /** Everybody who acts for an account, by a key or a session. */
    user: 'any user'
    /**
     * Who has signed in. A key given to a program must not change what concerns only the person, such as the password.
     */
    session: 'a session'
    /** Those who hold at least one of these permissions. */
    permissions: readonly Permission[]
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether assistants' tokens are valid for this route. */
    assistants?: boolean
  }
}

/**
 * Lets through only callers who hold the permission the route demands. Runs after the throttle, so that attempts cost.
 * A route with a permit of another kind fails at boot: it would be open to everybody who has a key.
 */
export const permit = fp(async (app: FastifyInstance) => {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!isChecked(config?.permit)) {
      throw new Error(`${method} ${url} is for "${config?.permit}", which nothing here checks`)
    }
    // Browsers send the session cookie along from any page.
    if (config?.cors) {
      throw new Error(`${method} ${url} must not be open to other sites: it is for members of an account`)
    }
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const { permit: wanted, assistants = false } = request.routeOptions.config
    if (request.caller.isAssistant && !assistants && !isWithin()) {
      throw new Refusal('permission_denied', 'This token is for assistants and works only at /mcp. Use an API key for anything else.')
    }
    if (typeof wanted === 'object') demand(request.caller.permissions, wanted)
    if (wanted === 'a session') demandSession(request.caller)
    done()
  })
}, { name: 'permit', dependencies: ['identify'] })

function isChecked (wanted: Permit | undefined): boolean {
  return wanted === 'any user' || wanted === 'a session' || Array.isArray(wanted)
}

/** Throws `permission_denied` unless one of the wanted permissions is held. */
export function demand (held: readonly Permission[], wanted: readonly Permission[], what = 'do this') {
  if (wanted.some((permission) => held.includes(permission))) return
  throw new Refusal('permission_denied', `You may not ${what}: it needs the permission ${wanted.join(' or ')}.`, {
    fields: { permissions: [...wanted] }
  })
}

/** Refuses with `permission_denied` callers with a key. */
function demandSession ({ by }: Caller) {
  if (by.kind !== 'session') {
    throw new Refusal('permission_denied', 'A key cannot do this. Sign in, and do it in the console.', {
      fields: { needs: 'session' }
    })
  }
}

/** Who may call, as a sentence for the API document. */
function whoIs (wanted: Exclude<Permit, 'anyone'>): string {
  if (wanted === 'a session') return 'Needs a session: a key cannot do this.'
  if (typeof wanted !== 'object') return 'Any valid key or session.'
  const names = wanted.map((one) => `\`${one}\``).join(' or ')
  return `Needs the permission ${names}.`
}

/** How the API document states who may call a route. */
export const security: Security = {
  schemes: {
    // Of the two, the one for which tools take the bare key.
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The key alone. In your own requests, the header may also be Authorization: Api-Key <key>.'
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'agenthall',
      description:
        'Set by POST /v1/session; named __Host-agenthall under https. Accepted only with `Sec-Fetch-Site: ' +
        'same-origin`; if that header is missing, GET is accepted, and other methods only with an `Origin` that is ' +
        'this server'
    }
  },
  of: (wanted) => ({
    schemes: wanted === 'a session' ? ['session'] : ['bearer', 'session'],
    who: whoIs(wanted),
    ...(typeof wanted === 'object' && { permissions: wanted }),
    isOfAccount: true,
    refusals: [
      ['authentication_required', 'Authentication failed.'],
      ...(wanted === 'a session' ? [['permission_denied', 'A key cannot do this.'] as const] : []),
      ...(typeof wanted === 'object'
        ? [['permission_denied', 'The caller lacks the permission for this, or the tier the feature.'] as const]
        : []),
      ['rate_limited', 'Over the rate limit; Retry-After says when to try again.', { tier: 'free', limit: 20 }]
    ]
  })
}

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
