export { GRACE_MS, quietFor } from './mail.ts'
export { FOLLOW_UP_MAIL } from './mailing.ts'
export { addressee, heldInQuietHours, notWanted, queueUnasked, type UnaskedNeeds } from './unasked.ts'
export { followUp, followUpsIn } from './work.ts'
