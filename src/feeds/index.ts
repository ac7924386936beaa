export { openGapsMail } from './fresh/mailing.ts'
export { openFeeds, type Feeds } from './open.ts'
export { feedRoutes } from './routes.ts'
