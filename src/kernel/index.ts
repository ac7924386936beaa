export type * from './contract.ts'
export { openLife, type Living } from './life.ts'
export { openKernel } from './open.ts'
export { Settings } from './settings.ts'
