export { hidingAbout } from './deleting.sqlite.ts'
export { exportOf, exportOfConversation, type MoreOf } from './export.ts'
export { dataHosts, type Sent } from './hosts.ts'
export {
  checkCollected, checkConsented, consentTo, hasConsented, missingOf, noticeOf, onlyCollected
} from './notice.ts'
export { openPrivacy, type Privacy } from './open.ts'
export { previewSentence, type BackupPlan } from './retention.ts'
export { privacyRoutes } from './routes.ts'
