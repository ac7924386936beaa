import type { BusinessRecord, ReportLanguage } from '../../../schema/business.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkKind, LinkRecord } from '../../../schema/sign-in.ts'
import type { Kernel } from '../../kernel/index.ts'
import { textsIn } from '../../locales/list.ts'
import { timestamp } from '../../platform/clock.ts'
import { becomesLink, serviceMail, type Smtp } from '../../platform/net/smtp.ts'
import type { Outbox } from '../../platform/storage/sqlite/outbox.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Sender } from '../../platform/work/outbox.ts'
import type { SignInRows } from './rows.ts'
import { linkTo, tokenDigest } from './tokens.ts'

/*
 * Links go out by mail under a separate token, which is stored nowhere until it is sent: it is derived from the
 * link with a key that only this installation has, the same for every attempt.
 */

/** The outbox channel. */
export const LINK_MAIL = 'link_mail'

/** Mails links, where mail is set up. */
export interface LinkMails {
  isOn: boolean
  /** Queues the mail for a link, in the transaction that makes it. `owner`: the account that it is made for. */
  add (owner: Id, link: LinkRecord): Work<void>
  /** Whether this link goes, or went, out by mail: false for links made to be passed on in another way. */
  has (link: LinkRecord): Work<boolean>
}

/** Mails links through the outbox. */
export function linkMails (outbox: Pick<Outbox, 'add' | 'has'>, isOn: boolean): LinkMails {
  const keyOf = ({ id }: LinkRecord) => `${LINK_MAIL}/${id}`
  return {
    isOn,
    * add (owner, link) {
      const about = `links/${link.id}`
      const payload = { type: 'link.mail', to: about, link: link.id }
      yield * outbox.add({ owner, channel: LINK_MAIL, key: keyOf(link), about, payload })
    },
    has: (link) => outbox.has(LINK_MAIL, keyOf(link))
  }
}

/**
 * What the sender needs. `from`: what mail comes from; `mac`: 32 bytes that only this installation can make of a text.
 */
interface LinkMailParts extends Pick<Kernel, 'db' | 'clock'> {
  rows: SignInRows
  smtp: Smtp
  from: string
  mac: (text: string) => Buffer
  address: () => string
  business: { get: (owner: Id) => Promise<Pick<BusinessRecord, 'gaps_mail'>> }
}

/** Sends them. */
export function linkMailSender ({ db, clock, rows, smtp, from, mac, address, business }: LinkMailParts): Sender {
  return {
    async send ({ owner, payload }, signal) {
      const { link: id } = payload as unknown as { link: Id }
      const link = await db.read(() => rows.linkById(id))
      if (
        !link || link.used_at !== null || link.expires_at <= timestamp(clock.micros())
      ) throw gone('The link was used or revoked, or has expired.')
      const { to, account } = await db.read(function * () {
        return {
          to: link.email ?? (yield * rows.user(link.user ?? 0))?.email, account: (yield * rows.user(link.account ?? 0))?.name ?? ''
        }
      })
      if (!to) throw gone('The user no longer has an e-mail address.')
      const token = mac(`${id} ${link.digest}`).toString('base64url')
      await db.atomically(function * () { yield * rows.mailed(id, tokenDigest(token)) })
      const { gaps_mail: chosen } = await business.get(owner)
      const words = letterOf(link.kind, account, linkTo(address(), token), chosen === 'off' ? 'en' : chosen)
      const mail = serviceMail(from, to, `link.${id}.${tokenDigest(link.digest).slice(0, 16)}`, words)
      await smtp.send(mail, signal)
      return { externalId: mail.messageId }
    }
  }
}

/** What the mail says. `account`: the name of the team that the invitation is for. */
export function letterOf (
  kind: LinkKind, account: string, link: string, language: ReportLanguage
): { subject: string, text: string } {
  const say = textsIn(language, 'team').links
  const name = account.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  const team = becomesLink(name) ? say.some : say.team.replace('{team}', () => name)
  const [subject, intro, end] = kind === 'invitation'
    ? [say.join, say.invited, say.unexpected]
    : [say.choose, say.password, say.unasked]
  const fill = (text: string) => text.replace('{team}', () => team)
  return { subject: fill(subject), text: `${fill(intro)}\n\n${link}\n\n${end}\n` }
}

const gone = (message: string) => Object.assign(new Error(message), { code: 'link_gone', retryable: false })
