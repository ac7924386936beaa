import type { FastifyPluginAsync } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import type { Plans } from '../../plans/index.ts'
import { changingRoutes, type ChangingNeeds } from './change.ts'
import { guardRoutes, type History } from './guards.ts'
import { readingRoutes } from './read.ts'
import { versionRoutes, type PublishingNeeds } from './versions.ts'
import { vocabularyRoutes } from './vocabulary.ts'

export type { CreateWithSources } from './change.ts'

/** Agents: list, create, read, update, delete; their versions; their vocabularies; and trying their guard rules. */
export const agentRoutes: FastifyPluginAsync<
  ChangingNeeds & PublishingNeeds & { plans: Plans, listBudget: number, history: History, clock: Clock }
> = async (
  app, { plans, listBudget, gate, history, clock, ...changing }
) => {
  const { agents, shown } = changing
  await app.register(readingRoutes, { agents, plans, shown, listBudget })
  await app.register(changingRoutes, changing)
  await app.register(vocabularyRoutes, { agents })
  await app.register(guardRoutes, { agents, history, clock })
  await app.register(versionRoutes, { ...changing, gate })
}
