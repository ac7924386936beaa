export { openWebhooks } from './open.ts'
export { webhookRoutes } from './routes.ts'
export type { LookUp } from './send.ts'
export type { WebhookStore } from './store.ts'
