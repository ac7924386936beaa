export { openSatisfaction } from './open.ts'
export { ratingPage } from './page.ts'
export { satisfactionRoutes, NOT_ASKED } from './routes.ts'
export type { SatisfactionStore } from './store.ts'
