export { replyRoutes } from './routes.ts'
export { sqliteReplyStore } from './store.sqlite.ts'
export type { ReplyStore } from './store.ts'
