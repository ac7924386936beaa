export { agentRoutes, type InlineSources } from './routes.ts'
export { shownWith, type Shown } from './show.ts'
export type { AgentStore } from './store.ts'
export { sqliteAgentStore } from './store.sqlite.ts'
