import { routesOf } from '../../platform/http/route.ts'
import type { Id } from '../../../schema/common.ts'
import type { VisitorCaller } from '../visitor.ts'

/** A route for the visitor of a widget; `owner`: the account whose agent they talk with. */
export const visitorRoute = routesOf<'visitor', { visitor: VisitorCaller, owner: Id }>({
  of: ({ visitor }) => ({ visitor, owner: visitor.owner })
})
