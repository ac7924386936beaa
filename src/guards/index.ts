export { decides, guarded, isPrepared, maskedBy, mayBe, noteOf, prepared, rulesFor } from './act.ts'
export { PREVIEW_DAYS, previewed, type Said } from './preview.ts'
export { checkRules, completeRule, NOT_KEPT, trying, type SaidLately, type Tried } from './check.ts'
