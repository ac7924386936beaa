export { reviewChanged } from './changed.ts'
export { reviewRoutes } from './routes.ts'
export type { ReviewStore } from './store.ts'
export { sqliteReviewStore } from './store.sqlite.ts'
