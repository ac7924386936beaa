export { masked, prepareMasks } from './mask.ts'
export { learningRoutes } from './routes.ts'
export { openLearning } from './open.ts'
export type { Learning, Unknowns } from './suggest.ts'
