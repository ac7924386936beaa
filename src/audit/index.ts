export { forgetEvents } from './forget.ts'
export { auditRoutes } from './routes.ts'
export { sqliteAuditStore } from './store.sqlite.ts'
export type { AuditStore } from './store.ts'
