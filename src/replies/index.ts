export { replyRoutes } from './routes.ts'
export { sqliteReplyStore } from './store.sqlite.ts'
