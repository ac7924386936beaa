export { openFeeds, type Feeds } from './open.ts'
export { feedRoutes } from './routes.ts'
