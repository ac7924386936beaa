export { openFeeds } from './open.ts'
export { feedRoutes } from './routes.ts'
