import type { LiveCheck, LiveCheckName, LiveFinding } from '../../../../../schema/going-live.ts'
import type { Texts } from '../../texts/index.ts'

/** The next step: on a page of the console, or by the server's operator, with lines to copy. */
export type Step =
  | { kind: 'page', to: string, verb: keyof Texts['live']['verbs'] }
  | { kind: 'settings' | 'command', lines: string[] }

/** What is checked, in the groups shown on the page. */
export const GROUPS: Record<keyof Texts['live']['groups'], LiveCheckName[]> = {
  outside: ['address', 'https'],
  mail: ['mail_out', 'mail_in', 'mail_from'],
  answers: ['model', 'knowledge', 'business', 'duty'],
  safe: ['backup', 'key', 'privacy', 'version']
}

const ADDRESS = 'AGENTHALL_BASE_URL=https://chat.example.com'
const SMTP = 'AGENTHALL_SMTP_URL=smtps://user:password@mail.example.com'
const IMAP = 'AGENTHALL_IMAP_URL=imaps://user:password@mail.example.com/INBOX'
const FROM = 'AGENTHALL_MAIL_FROM=help@example.com'
const BACKUPS = 'AGENTHALL_BACKUP_DIR=/mnt/backups'
const settings = (...lines: string[]): Step => ({ kind: 'settings', lines })
const page = (to: string, verb: keyof Texts['live']['verbs']): Step => ({ kind: 'page', to, verb })

const STEPS: Partial<Record<LiveFinding, Step>> = {
  address_unset: settings(ADDRESS),
  address_private: settings(ADDRESS),
  address_silent: settings(ADDRESS),
  https_unset: settings(ADDRESS),
  https_missing: settings(ADDRESS),
  proxy_unset: settings('AGENTHALL_TRUST_PROXY=127.0.0.1'),
  mail_out_unset: settings(SMTP),
  mail_out_refused: settings(SMTP),
  mail_in_unset: settings(IMAP),
  mail_in_refused: settings(IMAP),
  mail_from_unset: settings(FROM),
  mail_from_example: settings(FROM),
  model_none: page('/business/models', 'connect'),
  model_unknown: page('/business/models', 'connect'),
  model_silent: page('/business/models', 'test'),
  model_unlimited: settings('AGENTHALL_DAILY_TOKENS={"free":250000,"pro":2500000,"enterprise":25000000}'),
  agent_none: page('/agents?new', 'make'),
  business_unnamed: page('/business/hours', 'business'),
  duty_nobody: page('/team', 'invite'),
  duty_always: page('/business/hours', 'hours'),
  backup_unset: settings('AGENTHALL_BACKUP_EVERY=24h', BACKUPS),
  backup_late: { kind: 'command', lines: ['agenthall doctor'] },
  backup_beside: settings(BACKUPS),
  key_wrong: { kind: 'command', lines: ['agenthall doctor'] },
  key_uncopied: { kind: 'command', lines: ['cp data/agenthall.key /mnt/usb/agenthall.key', 'agenthall secrets copied /mnt/usb/agenthall.key'] }
}

/** The one next step of a finding; undefined where there is none. Those of an agent lead to that agent. */
export function stepOf ({ finding, values }: Pick<LiveCheck, 'finding' | 'values'>): Step | undefined {
  const agent = `/agents/${values['id']}`
  if (finding === 'knowledge_none') return page(`${agent}/knowledge`, 'teach')
  if (finding === 'retention_unset' || finding === 'notice_unset') return page(agent, 'privacy')
  if (finding === 'proxy_other') return settings(`AGENTHALL_TRUST_PROXY=${values['proxy']}`)
  return STEPS[finding]
}
