import type { FastifyPluginAsync } from 'fastify'
import type { Plans } from '../../plans/index.ts'
import type { DefaultModel } from '../draft.ts'
import type { Shown } from '../show.ts'
import type { AgentStore } from '../store.ts'
import { changingRoutes, type CreateWithSources } from './change.ts'
import { readingRoutes } from './read.ts'

export type { CreateWithSources } from './change.ts'

/** Agents: list, create, read, update, delete. */
export const agentRoutes: FastifyPluginAsync<{
  agents: AgentStore
  plans: Plans
  shown: Shown
  defaultModel: DefaultModel
  listBudget: number
  createWithSources: CreateWithSources
}> = async (app, { agents, plans, shown, defaultModel, listBudget, createWithSources }) => {
  await app.register(readingRoutes, { agents, plans, shown, listBudget })
  await app.register(changingRoutes, { agents, shown, defaultModel, createWithSources })
}
