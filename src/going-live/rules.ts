import { isIP } from 'node:net'
import { LIVE_CHECKS, type LiveCheckName, type LiveFinding } from '../../schema/going-live.ts'
import { isPublic, plainHost } from '../platform/net/address.ts'
import type { LiveFacts } from './contract.ts'

/** A finding, and the values in its sentence. */
export interface Found { finding: LiveFinding, values: Record<string, string | number> }

/** One check of the facts. */
type Rule = (facts: LiveFacts) => Found

const found = (finding: LiveFinding, values: Found['values'] = {}): Found => ({ finding, values })

/** Findings that do not prevent going live. Without a model agents quote their sources, which is an answer too. */
const FINE: readonly LiveFinding[] = [
  'address_ok', 'https_ok', 'mail_out_ok', 'mail_in_ok', 'mail_from_ok', 'model_none', 'model_ok', 'knowledge_ok', 'business_ok',
  'duty_ok', 'backup_ok', 'backup_postgres', 'key_ok', 'privacy_ok', 'version_ok'
]

/** The rule of each check, which returns its finding. Pure. */
const RULES: Record<LiveCheckName, Rule> = {
  address ({ address, addressAnswers }) {
    if (address === '') return found('address_unset')
    if (!isReachable(address)) return found('address_private', { address })
    return typeof addressAnswers === 'string'
      ? found('address_silent', { address, why: addressAnswers })
      : found('address_ok', { address })
  },
  https ({ address, hasProxy, strangeProxy }) {
    if (address === '') return found('https_unset')
    if (!address.startsWith('https:')) return found('https_missing', { address })
    if (strangeProxy !== null) return found('proxy_other', { proxy: strangeProxy })
    return found(hasProxy ? 'https_ok' : 'proxy_unset')
  },
  mail_out ({ mail: { hasServer, takes } }) {
    if (!hasServer) return found('mail_out_unset')
    return typeof takes === 'string' ? found('mail_out_refused', { why: takes }) : found('mail_out_ok')
  },
  mail_in ({ mail: { hasMailbox, opens } }) {
    if (!hasMailbox) return found('mail_in_unset')
    return typeof opens === 'string' ? found('mail_in_refused', { why: opens }) : found('mail_in_ok')
  },
  mail_from ({ mail: { from } }) {
    if (from === '') return found('mail_from_unset')
    return found(isExample(from) ? 'mail_from_example' : 'mail_from_ok', { address: from })
  },
  model: ({ models: { used, unknown, isAny, fault, dailyTokens } }) => {
    if (!isAny) return found('model_none')
    if (fault !== null) return found('model_silent', { why: fault })
    if (unknown.length > 0) return found('model_unknown', { model: unknown[0]! })
    if (dailyTokens === 0) return found('model_unlimited', { models: used.join(', ') })
    return found('model_ok', { models: used.join(', '), ...(dailyTokens !== null && { tokens: dailyTokens }) })
  },
  knowledge ({ agents }) {
    if (agents.length === 0) return found('agent_none')
    const blank = agents.find(({ sources }) => sources === 0)
    return blank
      ? found('knowledge_none', { agent: blank.name, id: blank.id })
      : found('knowledge_ok', { sources: agents.reduce((all, { sources }) => all + sources, 0) })
  },
  business: ({ business: name }) => name === '' ? found('business_unnamed') : found('business_ok', { name }),
  duty ({ people, hasHours }) {
    if (people.length === 0) return found('duty_nobody')
    return found(hasHours ? 'duty_ok' : 'duty_always', { people: people.join(', ') })
  },
  backup ({ backup: { isScheduled, newest, isYoung, place } }) {
    if (place === 'postgres') return found('backup_postgres')
    if (!isScheduled) return found('backup_unset')
    if (newest === null || !isYoung) return found('backup_late')
    return found(place === 'beside' ? 'backup_beside' : 'backup_ok', { at: new Date(newest).toISOString() })
  },
  key ({ keyFault, keyCopied }) {
    if (keyFault !== null) return found('key_wrong', { why: keyFault })
    return keyCopied === null ? found('key_uncopied') : found('key_ok', { at: keyCopied })
  },
  privacy ({ agents }) {
    if (agents.length === 0) return found('agent_none')
    const endless = agents.find(({ days }) => days === null)
    if (endless) return found('retention_unset', { agent: endless.name, id: endless.id })
    const silent = agents.find(({ isTelling }) => !isTelling)
    return silent
      ? found('notice_unset', { agent: silent.name, id: silent.id })
      : found('privacy_ok', { days: Math.max(...agents.map(({ days }) => days ?? 0)) })
  },
  version: ({ version }) => found('version_ok', { version })
}

/** The findings of all checks needed before going live, in order. Pure. */
export function judge (facts: LiveFacts): Array<Found & { check: LiveCheckName, ok: boolean }> {
  return LIVE_CHECKS.map((check) => {
    const result = RULES[check](facts)
    return { check, ok: FINE.includes(result.finding), ...result }
  })
}

/** Whether others can reach an address: not a name of this machine itself, and not an address of a private network. */
export function isReachable (address: string): boolean {
  const host = plainHost(URL.parse(address)?.hostname ?? '')
  if (isIP(host) !== 0) return isPublic(host)
  return host.includes('.') && !/\.(?:localhost|local|internal|lan|home\.arpa|test|invalid)$/.test(host)
}

/** Domains reserved for documentation: nobody receives mail there. */
const isExample = (mail: string) => /[@.](?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/i.test(mail)
