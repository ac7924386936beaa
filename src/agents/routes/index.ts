import type { FastifyPluginAsync } from 'fastify'
import type { Plans } from '../../plans/index.ts'
import { changingRoutes, type ChangingNeeds } from './change.ts'
import { readingRoutes } from './read.ts'
import { versionRoutes, type PublishingNeeds } from './versions.ts'
import { vocabularyRoutes } from './vocabulary.ts'

export type { CreateWithSources } from './change.ts'

/** Agents: list, create, read, update, delete; their versions; and what words mean in their business. */
export const agentRoutes: FastifyPluginAsync<
  ChangingNeeds & PublishingNeeds & { plans: Plans, listBudget: number }
> = async (
  app, { plans, listBudget, gate, ...changing }
) => {
  const { agents, shown } = changing
  await app.register(readingRoutes, { agents, plans, shown, listBudget })
  await app.register(changingRoutes, changing)
  await app.register(vocabularyRoutes, { agents })
  await app.register(versionRoutes, { ...changing, gate })
}
