import type { Config, Kernel } from '../kernel/index.ts'
import { displayName, type DefaultModel } from './draft.ts'
import type { AgentStore } from './store.ts'
import { sqliteAgentStore } from './store.sqlite.ts'
import { FIRST_VERSIONS, workOnVersions } from './versions/versions.sqlite.ts'

/** Opens agents, and keeps their versions. */
export function openAgents (kernel: Kernel): AgentStore {
  const hasUnversioned = workOnVersions(kernel)
  kernel.onWork(async () => {
    if (await hasUnversioned()) await kernel.jobs.queue.ask([FIRST_VERSIONS])
  })
  return sqliteAgentStore({ ...kernel, agentLimits: kernel.config.AGENT_LIMITS })
}

/** The language model of agents that name none. */
export const defaultModelOf = ({ RESPONSE_MODEL, DISPLAY_MODEL }: Config): DefaultModel => (
  { response_model: RESPONSE_MODEL, display_model: DISPLAY_MODEL || displayName(RESPONSE_MODEL) }
)
