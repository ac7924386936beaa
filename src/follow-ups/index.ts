export { FOLLOW_UP_MAIL } from './mailing.ts'
export { followUp, followUpsIn } from './work.ts'
