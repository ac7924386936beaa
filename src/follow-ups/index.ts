export { GRACE_MS, quietFor } from './mail.ts'
export { addressee, heldInQuietHours, notWanted, queueUnasked, type UnaskedFeatures, type UnaskedNeeds } from './unasked.ts'
export { followUp, followUpsIn } from './work.ts'
