export { featuresOf, demandFeature, plansOf, type Plans } from './plans.ts'
export { planRoutes } from './routes.ts'
export { throttle } from './throttle.ts'
