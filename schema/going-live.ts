import { Type, type Static } from '@sinclair/typebox'
import { Timestamp, nullable, oneOf } from './common.ts'

/** What is checked before customers meet an agent, in this order. */
export const LIVE_CHECKS = [
  'address', 'https', 'mail_out', 'mail_in', 'mail_from', 'model', 'knowledge', 'business', 'duty', 'backup', 'key',
  'privacy', 'version'
] as const
export type LiveCheckName = typeof LIVE_CHECKS[number]

/** All possible findings, each with the check that reports it. */
export const LIVE_FINDINGS = [
  'address_unset', 'address_private', 'address_silent', 'address_ok',
  'https_unset', 'https_missing', 'proxy_unset', 'proxy_other', 'https_ok',
  'mail_out_unset', 'mail_out_refused', 'mail_out_ok',
  'mail_in_unset', 'mail_in_refused', 'mail_in_ok',
  'mail_from_unset', 'mail_from_example', 'mail_from_ok',
  'model_none', 'model_unknown', 'model_silent', 'model_unlimited', 'model_ok',
  'agent_none', 'knowledge_none', 'knowledge_ok',
  'business_unnamed', 'business_ok',
  'duty_nobody', 'duty_always', 'duty_ok',
  'backup_unset', 'backup_late', 'backup_beside', 'backup_ok', 'backup_postgres',
  'key_wrong', 'key_uncopied', 'key_ok',
  'retention_unset', 'notice_unset', 'privacy_ok',
  'version_ok'
] as const
export type LiveFinding = typeof LIVE_FINDINGS[number]

/** One finding: what is true and, if it is not as it should be, the one thing to do next. */
export const LiveCheck = Type.Object({
  check: oneOf(LIVE_CHECKS, { description: 'The check' }),
  ok: Type.Boolean({ description: 'Whether the check passed' }),
  finding: oneOf(LIVE_FINDINGS, { description: 'Machine-readable finding' }),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()]), {
    description: 'Values used in `message`: an address, a number, a name'
  }),
  message: Type.String({ description: 'The finding as a sentence' }),
  step: nullable(Type.String({ description: 'What to do next; null if there is nothing to do' }))
}, { title: 'LiveCheck' })
export type LiveCheck = Static<typeof LiveCheck>

/** Whether an account can go live. */
export const GoingLive = Type.Object({
  checked_at: Timestamp,
  left: Type.Integer({ minimum: 0, description: 'Number of checks that did not pass' }),
  checks: Type.Array(LiveCheck, { description: 'All checks, in the order in which to address them' })
}, { title: 'GoingLive' })
export type GoingLive = Static<typeof GoingLive>
