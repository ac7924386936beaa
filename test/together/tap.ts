import { current } from './index.ts'

// What a test file gets as `tap` when it runs together with others. Loaded separately for each, by the query after `?`.
export default current
