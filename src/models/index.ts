export type { Ask, Choice, Model, ModelPart, ModelRequest, Models, Price, Provider, ProviderPart, Tokens } from './contract.ts'
export { MODEL_ERRORS, ModelError, type ModelErrorCode } from './error.ts'
