export { closesWithin, isOpen, localTime } from './hours.ts'
export { businessRoutes } from './routes.ts'
export type { BusinessStore } from './store.ts'
export { sqliteBusinessStore } from './store.sqlite.ts'
