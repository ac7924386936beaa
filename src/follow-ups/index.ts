export { followUp, followUpsIn } from './work.ts'
