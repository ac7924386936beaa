export { analyticsRoutes } from './routes.ts'
export type { AnalyticsStore } from './store.ts'
export { sqliteAnalyticsStore } from './store.sqlite.ts'
