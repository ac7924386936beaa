import { together } from './index.ts'

await together(import.meta.filename)
