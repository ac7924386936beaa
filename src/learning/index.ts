export { masked, prepareMasks } from './mask.ts'
export { learningRoutes } from './routes.ts'
export { sqliteLearningStore } from './store.sqlite.ts'
export { suggesting, type Learning, type Unknowns } from './suggest.ts'
