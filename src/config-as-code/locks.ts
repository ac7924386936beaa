import type { FastifyInstance } from 'fastify'
import type { ConfigKind } from '../../schema/config.ts'
import type { Config } from './open.ts'

/** The thing that a request changes: its kind, and the parameter of the path that is its number. */
type Target = [kind: ConfigKind, parameter?: 'id' | 'sid' | 'question']

/** The operations that change what files may hold, and what of it each changes. */
export const CHANGING: Readonly<Record<string, Target>> = {
  updateBusiness: ['business'],
  updateWebhook: ['webhook', 'id'],
  deleteWebhook: ['webhook', 'id'],
  replaceConnection: ['connection', 'id'],
  deleteConnection: ['connection', 'id'],
  updateAction: ['action', 'id'],
  deleteAction: ['action', 'id'],
  updateAgent: ['agent', 'id'],
  deleteAgent: ['agent', 'id'],
  replaceVocabulary: ['agent', 'id'],
  restoreVersion: ['agent', 'id'],
  addKnowledgeSources: ['agent', 'id'],
  createQuestion: ['agent', 'id'],
  importQuestions: ['agent', 'id'],
  updateKnowledgeSource: ['source', 'sid'],
  deleteKnowledgeSource: ['source', 'sid'],
  updateQuestion: ['question', 'question'],
  deleteQuestion: ['question', 'question']
}

/** Refuses with `kept_in_code` changes to what only files may change. Before the routes, after `permit`. */
export function lockInCode (routes: FastifyInstance, config: Pick<Config, 'demandUnlocked'>) {
  routes.addHook('preHandler', async ({ caller, params, routeOptions: { schema } }) => {
    const { operationId } = (schema ?? {}) as { operationId?: string }
    const target = operationId === undefined ? undefined : CHANGING[operationId]
    if (!target || !caller) return
    const [kind, parameter] = target
    const { id } = caller.account
    const named = params as Record<string, unknown>
    await config.demandUnlocked(id, kind, parameter === undefined ? id : Number(named[parameter]))
  })
}
