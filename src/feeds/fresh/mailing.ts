import type { Permission } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { KnowledgeGaps } from '../../../schema/feeds.ts'
import type { BusinessStore } from '../../business/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { serviceMail, type Smtp } from '../../platform/net/smtp.ts'
import type { DispatchPayload } from '../../platform/work/outbox.ts'
import { letterOf, type Lack } from './letter.ts'

/** The outbox channel of the weekly report. */
const GAPS_MAIL = 'gaps_mail'

const WEEK_MICROS = 7 * 86_400_000_000
/** Those who can fill agents' gaps. */
const TEACHES: Permission = 'MANAGE_KNOWLEDGE_BASE'
/** Agents per mail. */
const MOST_AGENTS = 100

interface MailPayload extends DispatchPayload { user: Id }

/** What the mails are made of. `from`: their sender. */
interface GapsMailNeeds {
  business: BusinessStore
  smtp: Smtp
  from: string
  gaps: (owner: Id, agent: Id) => Promise<KnowledgeGaps | undefined>
}

/**
 * Mails the weekly report to those of an account who teach its agents, from now on: one mail for all agents, queued in
 * the transaction that publishes the first of them, and composed when it is sent.
 */
export function openGapsMail (kernel: Kernel, { business, smtp, from, gaps }: GapsMailNeeds) {
  const { db, clock, outbox, eventBus, address } = kernel
  const teachers = db.objects<[Id], { user: Id, email: string }>(`
    select user_id as user, email from members join users on users.id = user_id
    where account_id = ? and email is not null and exists (select 1 from json_each(permissions) where value = '${TEACHES}')
    order by user_id`)
  const agents = db.objects<[Id], { id: Id, name: string }>(
    `select id, name from agents where owner_id = ? order by id limit ${MOST_AGENTS}`)

  eventBus.on(['knowledge.gaps'], function * ({ owner }) {
    if ((yield * business.of(owner)).gaps_mail === 'off') return
    // A week's reports all belong to its Monday, in any time zone: weeks are counted from Thursdays.
    const week = Math.floor(clock.micros() / WEEK_MICROS)
    yield * outbox.add(...(yield * teachers.all(owner)).map(({ user }) => {
      const payload: MailPayload = { type: 'knowledge.gaps', user }
      return { owner, channel: GAPS_MAIL, key: `${GAPS_MAIL}/${owner}/${user}/${week}`, about: GAPS_MAIL, payload }
    }))
  })

  async function lacksOf (owner: Id): Promise<Lack[]> {
    const lacks: Lack[] = []
    for (const { id, name } of await db.read(() => agents.all(owner))) {
      const found = await gaps(owner, id)
      if (found && found.unknown + found.questions.length > 0) lacks.push({ name, gaps: found })
    }
    return lacks
  }

  kernel.sendBy(GAPS_MAIL, {
    async send ({ owner, key, payload }, signal) {
      const { user } = payload as MailPayload
      const { gaps_mail: language, time_zone: zone } = await business.get(owner)
      if (language === 'off') throw gone('The weekly mail was switched off.')
      const to = (await db.read(() => teachers.all(owner))).find((one) => one.user === user)?.email
      if (to === undefined) throw gone('Nobody is left to receive it: they left, teach no agents, or have no e-mail address.')
      const lacks = await lacksOf(owner)
      if (lacks.length === 0) throw gone('There is nothing left to report.')
      const words = letterOf(lacks, { language, zone, link: `${address()}/console/#/suggestions` })
      const mail = serviceMail(from, to, key.replaceAll('/', '.'), words)
      await smtp.send(mail, signal)
      return { externalId: mail.messageId }
    }
  })
}

const gone = (message: string) => Object.assign(new Error(message), { code: 'report_gone', retryable: false })
