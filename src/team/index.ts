export { acceptRoute } from './invitation-routes.ts'
export { teamRoutes } from './routes.ts'
export { mayInvite } from './rules.ts'
export { sqliteTeamStore } from './store.sqlite.ts'
