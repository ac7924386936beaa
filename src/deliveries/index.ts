export { openDeliveries, type Deliveries } from './deliveries.ts'
export { deliveryRoutes } from './routes.ts'
export { sendingsAbout } from './personal.sqlite.ts'
export { mailShare, type MailShare } from './share.ts'
