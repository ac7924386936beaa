import type { FastifyRequest } from 'fastify'
import type { Id } from '../../schema/common.ts'
import type { Permits } from '../platform/http/permit.ts'
import { routesOf } from '../platform/http/route.ts'
import { callerSecret, type Caller } from './identify.ts'

/** Who asks for an account; `owner`: the account. */
export interface AccountAsker { caller: Caller, owner: Id }

/** A route for those who act for an account, by a key or a session. */
export const route = routesOf<Permits['user' | 'session' | 'permissions'], AccountAsker>({
  of: ({ caller }: FastifyRequest) => ({ caller, owner: caller.account.id }),
  secretOf: callerSecret
})

/** A route that takes neither key nor session. */
export const openRoute = routesOf<'anyone', object>({ of: () => ({}) })
