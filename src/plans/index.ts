export { featuresOf, demandFeature, demandRoomForAgent, plansOf, tiersIn, type AgentLimits, type Plans } from './plans.ts'
export { planRoutes } from './routes.ts'
export { throttle } from './plans.ts'
