import { statSync } from 'node:fs'
import path from 'node:path'
import type { AgentRecord } from '../schema/agents.ts'
import type { Id } from '../schema/common.ts'
import type { Config } from './config.ts'
import { answersAt, asked, isReachable, remembering, type Answers, type LiveFacts } from './going-live/index.ts'
import { keyCopies } from './platform/storage/key-copies.ts'
import type { Model } from './models/index.ts'
import { featuresOf } from './plans/index.ts'
import type { Clock } from './platform/clock.ts'
import { egress } from './platform/net/egress.ts'
import { openMailbox } from './platform/net/imap.ts'
import { bareAddress, openSmtp } from './platform/net/smtp.ts'
import { durationMs, newestBackup } from './platform/storage/sqlite/scheduled-backups.ts'
import type { Stores } from './stores.ts'

import { VERSION } from './version.ts'

/** How long each check may take, and how long its result is reused. */
const [ANSWER_MS, KEPT_MS] = [8000, 10_000]
/** Agents of an account that are checked. */
const MOST_AGENTS = 100

/** What is checked outside this process. */
type Outside = Pick<LiveFacts, 'addressAnswers'> & Pick<LiveFacts['mail'], 'takes' | 'opens'>

/** The facts about the installation and an account that the rules of going live need. */
type FactsOf = (owner: Id, strangeProxy: string | null) => Promise<LiveFacts>

/** Gathers them. `outside` checks what is outside this process; replaced in tests only. */
export function liveFacts (
  { config, stores, clock }: { config: Config, stores: Stores, clock: Clock }, outside = () => askOutside(config)
): FactsOf {
  const key = keyCopies({ ...stores, clock })
  const now = () => clock.monotonic()
  const outsideOnce = remembering(now, KEPT_MS, outside)
  const modelsOnce = remembering(now, KEPT_MS, async (owner) => await modelsOf(Number(owner), config, stores))
  return async (owner, strangeProxy) => {
    const [{ addressAnswers, takes, opens }, models, agents, members, { hours, name }] = await Promise.all([
      outsideOnce(''),
      modelsOnce(String(owner)),
      agentsOf(owner, stores),
      stores.team.members(owner),
      stores.business.get(owner)
    ])
    const { fault, copied } = await key.standing()
    return {
      address: config.BASE_URL,
      addressAnswers,
      hasProxy: config.TRUST_PROXY.length > 0,
      strangeProxy,
      mail: {
        hasServer: config.SMTP_URL !== '',
        takes,
        from: config.MAIL_FROM && bareAddress(config.MAIL_FROM),
        hasMailbox: config.IMAP_URL !== '',
        opens
      },
      models,
      agents,
      business: name.trim(),
      people: members.filter(({ permissions }) => permissions.includes('REPLY_CONVERSATION')).map(({ user }) => user.name),
      hasHours: hours !== null,
      backup: backupOf(config, clock.micros() / 1000),
      keyFault: fault,
      keyCopied: copied,
      version: VERSION
    }
  }
}

/** Checks the server's own address, the mail server and the mailbox, each where it is set. */
async function askOutside ({ BASE_URL, SMTP_URL, IMAP_URL }: Config): Promise<Outside> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const limits = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS }
  const [addressAnswers, takes, opens] = await Promise.all([
    isReachable(BASE_URL) ? atPublicAddress(BASE_URL, signal) : null,
    SMTP_URL === '' ? null : asked(async () => await openSmtp(SMTP_URL, limits).check()),
    IMAP_URL === '' ? null : asked(async () => await openMailbox(IMAP_URL, 0).check(signal))
  ])
  return { addressAnswers, takes, opens }
}

/** The address is the operator's own, so its name may resolve into their network. */
async function atPublicAddress (address: string, signal: AbortSignal): Promise<Answers> {
  const out = egress({ allowedHosts: [new URL(address).hostname], userAgent: `Agenthall/${VERSION}` })
  return await answersAt(out, address, signal).finally(async () => await out.close())
}

async function agentsOf (owner: Id, { agents, knowledge }: Stores): Promise<LiveFacts['agents']> {
  const active = await agents.active(owner, MOST_AGENTS)
  return await Promise.all(active.map(async (agent) => {
    const trained = await knowledge.store.list(owner, agent.id, { training_status: 'Success' }, 0, 1)
    return {
      id: agent.id,
      name: agent.name,
      sources: trained?.total ?? 0,
      days: agent.gdpr_settings.data_retention_days,
      isTelling: isTelling(agent)
    }
  }))
}

/** Whether visitors are told what happens to what they write: by a link, or by a notice that is shown first. */
function isTelling ({ privacy_url: link, gdpr_settings: settings }: AgentRecord): boolean {
  const { gdpr_message_display: isShown, data_retention_message: notice } = settings
  return Boolean(link) || (isShown && Boolean(notice))
}

/** Which models the account's agents ask for, whose they are, and whether they answer. */
async function modelsOf (owner: Id, { DAILY_TOKENS }: Config, stores: Stores): Promise<LiveFacts['models']> {
  const { agents, models, access, privacy } = stores
  const tier = (await access.user(owner))?.tier ?? 'free'
  const names = [...new Set((await agents.active(owner, MOST_AGENTS)).map(({ model }) => model.response_model))]
  const account = { id: owner, hasPremium: featuresOf(tier).PREMIUM_MODELS }
  const chosen = await Promise.all(
    names.map(async (name) => ({ name, choice: await models.choose(account, name) }))
  )
  const used = chosen.flatMap(({ choice }): Model[] => 'models' in choice ? [choice.models[0]] : [])
  const isAny = (await privacy.hosts(owner)).some(({ purposes }) => purposes.includes('answers'))
  const faults = await Promise.all([...new Map(used.map(({ provider }) => [provider.id, provider])).values()].map(
    async (provider) => {
      const found = await models.check(provider, AbortSignal.timeout(ANSWER_MS))
        .catch(() => ({ ok: false as const, message: 'The model provider took too long to answer.' }))
      return found.ok ? null : found.message
    }
  ))
  return {
    used: used.map(({ name }) => name),
    unknown: chosen.filter(({ choice }) => 'none' in choice).map(({ name }) => name),
    isAny,
    fault: faults.find((fault) => fault !== null) ?? null,
    dailyTokens: used.some(({ provider }) => provider.isOperators) ? DAILY_TOKENS[tier] : null
  }
}

function backupOf ({ BACKUP_EVERY, BACKUP_DIR, DATA, DATABASE }: Config, nowMs: number): LiveFacts['backup'] {
  if (DATABASE !== '') return { isScheduled: false, newest: null, isYoung: false, place: 'postgres' }
  const folder = BACKUP_DIR || path.join(DATA, 'backups')
  const newest = newestBackup(folder) ?? null
  const isScheduled = BACKUP_EVERY !== ''
  return {
    isScheduled,
    newest,
    isYoung: isScheduled && newest !== null && nowMs - newest <= 2 * durationMs(BACKUP_EVERY),
    place: diskOf(folder) === diskOf(DATA) ? 'beside' : 'elsewhere'
  }
}

/** Which disk a folder is on; undefined if there is no such folder. */
const diskOf = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.dev
