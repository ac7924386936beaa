export { publishGate } from './gate.ts'
export { openChecks, type Checks } from './open.ts'
export { checkRoutes } from './routes.ts'
