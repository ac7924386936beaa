export { openReviews } from './open.ts'
export { reviewRoutes } from './routes.ts'
