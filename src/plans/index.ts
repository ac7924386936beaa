export { featuresOf, demandFeature, demandRoomForAgent, plansOf, type AgentLimits, type Plans } from './plans.ts'
export { planRoutes } from './routes.ts'
export { throttle } from './throttle.ts'
export { tiersIn } from './tiers.sqlite.ts'
