import type { LiveCheck, LiveFinding } from '../../schema/going-live.ts'
import type { LiveFacts } from './contract.ts'
import { judge } from './rules.ts'

/** The text for each finding, and what to do next. `{…}`: its values. */
const WORDS: Record<LiveFinding, [message: string, step: string | null]> = {
  address_unset: [
    'No public address is set, so links in mails and the line for your site lead to this machine.',
    'Set AGENTHALL_BASE_URL to the address under which visitors reach the server, such as https://chat.example.com.'
  ],
  address_private: [
    '{address} can be reached only from this network.', 'Set AGENTHALL_BASE_URL to an address on the public internet.'
  ],
  address_silent: [
    'Agenthall does not answer at {address}. {why}',
    'Point that address to this server, or set AGENTHALL_BASE_URL to one that does.'
  ],
  address_ok: ['{address} answers.', null],
  https_unset: ['Without a public address there is no https.', 'Set AGENTHALL_BASE_URL first.'],
  https_missing: [
    '{address} is not encrypted: anyone in between can read what visitors write.',
    'Put a proxy with a certificate in front, and begin AGENTHALL_BASE_URL with https://.'
  ],
  proxy_unset: [
    'No proxy is trusted: behind one, all visitors count as a single address and are limited together.',
    "Set AGENTHALL_TRUST_PROXY to the proxy's address, such as 127.0.0.1."
  ],
  proxy_other: [
    'The proxy at {proxy} is not trusted: all visitors count as one address.',
    'Add {proxy} to AGENTHALL_TRUST_PROXY.'
  ],
  https_ok: ["Encrypted, and the proxy passes the visitor's address on.", null],
  mail_out_unset: [
    'No mail goes out: invitations, tickets and follow-ups are not sent.',
    'Set AGENTHALL_SMTP_URL to a mail server that accepts mail from you.'
  ],
  mail_out_refused: ['{why}', 'Correct AGENTHALL_SMTP_URL; "agenthall mail" tests it.'],
  mail_out_ok: ['The mail server accepts our login.', null],
  mail_in_unset: [
    'Mail replies to tickets reach nobody.',
    'Set AGENTHALL_IMAP_URL to the mailbox of your help desk, or let a mail service post them ("agenthall mail" says where).'
  ],
  mail_in_refused: ['{why}', 'Correct AGENTHALL_IMAP_URL.'],
  mail_in_ok: ['The mailbox opens and is checked once a minute.', null],
  mail_from_unset: ['Mail has no sender, so none is sent.', 'Set AGENTHALL_MAIL_FROM, such as Help <help@your-shop.com>.'],
  mail_from_example: [
    'Mail comes from {address}, which is an example address.', 'Set AGENTHALL_MAIL_FROM to one of your own.'
  ],
  mail_from_ok: ['Mail comes from {address}.', null],
  model_none: [
    'None is connected: agents quote their sources word for word.',
    'Connect one if agents are to answer in their own words: in the console under Business, Models, or by AGENTHALL_MODEL_URL.'
  ],
  model_unknown: ['No provider has {model}.', 'Choose another model in the agent, or connect a provider that has it.'],
  model_silent: ['{why}', 'Test it under Business, Models.'],
  model_unlimited: [
    '{models} answers without a limit: nothing caps the cost of a bad day.', 'Set AGENTHALL_DAILY_TOKENS for the tier.'
  ],
  model_ok: ['{models} answers.', null],
  agent_none: ['There is no agent that answers.', 'Make one.'],
  knowledge_none: ['{agent} has been taught nothing.', 'Add a text, a file or your site.'],
  knowledge_ok: ['{sources} sources are read.', null],
  business_unnamed: [
    'Agents do not know the name of the business that they speak for.', 'Enter its name, and when people are there.'
  ],
  business_ok: ['Agents speak for {name}.', null],
  duty_nobody: ['Nobody may answer visitors.', 'Invite somebody who may.'],
  duty_always: [
    '{people} may answer. No hours are set: anyone who leaves a console open counts as there at night too.',
    'Set when people are there.'
  ],
  duty_ok: ['{people} may answer, within your hours.', null],
  backup_unset: ['Nothing is backed up.', 'Set AGENTHALL_BACKUP_EVERY, such as 24h, and AGENTHALL_BACKUP_DIR to another disk.'],
  backup_late: ['No backup is as recent as it should be.', "Check the server's log for backup errors."],
  backup_beside: [
    'The newest backup is from {at}, on the disk of the data: losing that disk loses both.',
    'Set AGENTHALL_BACKUP_DIR to another disk.'
  ],
  backup_postgres: ['Everything is in PostgreSQL, whose own tools make the backups; whether they do cannot be seen from here.', null],
  backup_ok: ['The newest backup is from {at}, on another disk than the data.', null],
  key_wrong: ['{why}', 'Put back the agenthall.key that belongs to this data.'],
  key_uncopied: [
    'No copy of agenthall.key has been seen: it is in no backup, and without it the credentials of providers and mail servers are lost.',
    'Copy it to another place and run "agenthall secrets copied FILE" on that copy.'
  ],
  key_ok: ['A copy of agenthall.key was seen on {at}.', null],
  retention_unset: ['{agent} keeps conversations forever.', 'Set in its settings after how many days they are deleted.'],
  notice_unset: [
    '{agent} does not tell visitors what happens to what they write.',
    'Link your privacy policy in its settings, or show a notice.'
  ],
  privacy_ok: ['Conversations are deleted after {days} days at most, and visitors are told.', null],
  version_ok: ['Agenthall {version}.', null]
}

/** All checks of an account with their sentences, as the API and the command line show them. Pure. */
export function liveChecks (facts: LiveFacts): LiveCheck[] {
  return judge(facts).map(({ check, ok, finding, values }) => {
    const [message, step] = WORDS[finding]
    return { check, ok, finding, values, message: filled(message, values), step: step && filled(step, values) }
  })
}

function filled (text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name]))
}
