export { openPush } from './open.ts'
export { pushRoutes } from './routes.ts'
