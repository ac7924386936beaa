export { analyticsRoutes } from './routes.ts'
export { sqliteAnalyticsStore } from './store.sqlite.ts'
