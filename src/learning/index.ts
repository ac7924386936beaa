export { learningRoutes, type LearningRoutesNeeds } from './routes.ts'
export { sqliteLearningStore } from './store.sqlite.ts'
export type { LearningStore } from './store.ts'
export { suggesting, type Learning, type Unknowns } from './suggest.ts'
