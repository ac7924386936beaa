export * from './oauth/index.ts'
export { mcpRoutes } from './routes.ts'
export { GIVEN } from './tools.ts'
