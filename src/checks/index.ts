export { publishGate } from './gate.ts'
export { junitOf } from './junit.ts'
export { openChecks, type Checks } from './open.ts'
export { checkRoutes } from './routes.ts'
