export { chooseModels, type Offer, type Offers } from './choose.ts'
export type {
  Ask, Choice, Model, ModelPart, ModelRequest, Models, Price, Provider, ProviderPart, Said, Tokens, Wording
} from './contract.ts'
export { MODEL_ERRORS, ModelError, type ModelErrorCode } from './error.ts'
export { jsonIn } from './json.ts'
export { installedFrom, offersFrom, plainUrl, type Installed, type ModelSettings } from './offers.ts'
export { redacted } from './redact.ts'
export { openModels } from './open.ts'
export { modelProviderRoutes } from './routes.ts'
export { sqliteModelProviderStore } from './store.sqlite.ts'
export type { ModelProviderStore } from './store.ts'
