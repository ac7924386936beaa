import { current } from './index.ts'

// What a test file gets as `tap` when it runs together with others. Loaded anew for each, by what stands behind `?`.
export default current
