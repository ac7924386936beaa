import type { FastifyPluginAsync } from 'fastify'
import type { Conversations } from '../conversations/index.ts'
import { callRoutes } from './calls/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { actionRoutes } from './definitions/routes.ts'
import type { Actions } from './open.ts'

export type { ActionStore, ConnectionStore } from './store.ts'
export { completeParameter } from './definitions/decide.ts'
export { tryAction } from './definitions/try.ts'
export { importActions } from './importing/import.ts'
export { formsOf, makeCall, publicForms } from './calls/make.ts'
export { DECIDING, MAKING } from './calls/routes.ts'
export { actingWith } from './acting.ts'
export { tellOutcome } from './telling.ts'
export { openActions, type Actions } from './open.ts'

/** The routes of connections, actions and calls. */
export const actionsRoutes: FastifyPluginAsync<{ actions: Actions, conversations: Pick<Conversations, 'store'> }> = async (
  app, { actions, conversations: { store } }
) => {
  await app.register(connectionRoutes, actions)
  await app.register(actionRoutes, actions)
  await app.register(callRoutes, { ...actions, store })
}
