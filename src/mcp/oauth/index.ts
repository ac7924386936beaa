export { challengeOf } from './addresses.ts'
export { openAssistants, type Assistants } from './open.ts'
export { oauthRoutes } from './open-routes.ts'
export { assistantRoutes } from './routes.ts'
