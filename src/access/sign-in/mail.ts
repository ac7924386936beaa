import type { Id } from '../../../schema/common.ts'
import type { LinkKind, LinkRecord } from '../../../schema/sign-in.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { ownMail, type Smtp } from '../../platform/net/smtp.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Outbox } from '../../platform/storage/sqlite/outbox.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Sender } from '../../platform/work/outbox.ts'
import type { SignInRows } from './rows.ts'
import { linkTo, tokenDigest } from './tokens.ts'

/*
 * Links go out by mail under a token of their own, which is nowhere until it is sent: it is made of the link by a key
 * that only this installation has, the same for every attempt.
 */

/** How they leave. */
export const LINK_MAIL = 'link_mail'

/** Mails links, where mail is set up. */
export interface LinkMails {
  isOn: boolean
  /** Asks for a link to be mailed, in the transaction that makes it. `owner`: the account that it is made for. */
  add (owner: Id, link: LinkRecord): Work<void>
  /** Whether this link goes out by mail, or did: not one that was made to be told in another way. */
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
interface LinkMailParts {
  db: Database
  clock: Clock
  rows: SignInRows
  smtp: Smtp
  from: string
  mac: (text: string) => Buffer
  address: () => string
}

/** Sends them. */
export function linkMailSender ({ db, clock, rows, smtp, from, mac, address }: LinkMailParts): Sender {
  return {
    async send ({ payload }, signal) {
      const { link: id } = payload as unknown as { link: Id }
      const link = await db.read(() => rows.linkById(id))
      if (
        !link || link.used_at !== null || link.expires_at <= timestamp(clock.micros())
      ) throw gone('The link was used or taken back, or has expired.')
      const { to, account } = await db.read(function * () {
        return {
          to: link.email ?? (yield * rows.user(link.user ?? 0))?.email, account: (yield * rows.user(link.account ?? 0))?.name ?? ''
        }
      })
      if (!to) throw gone('The user has no e-mail address any more.')
      const token = mac(`${id} ${link.digest}`).toString('base64url')
      await db.atomically(function * () { yield * rows.mailed(id, tokenDigest(token)) })
      const words = letterOf(link.kind, account, linkTo(address(), token))
      const mail = ownMail(from, to, `link.${id}.${tokenDigest(link.digest).slice(0, 16)}`, words)
      await smtp.send(mail, signal)
      return { externalId: mail.messageId }
    }
  }
}

/** What mail programs make a link of: a name that holds one would send strangers to a page of its choice. */
const ADDRESS = /[^\s.][.\u3002\uff0e\uff61][^\s.]|[:/]\//u

/** What the mail says. `account`: the name of the team that one is invited to. */
export function letterOf (kind: LinkKind, account: string, link: string): { subject: string, text: string } {
  const name = account.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  const team = ADDRESS.test(name) ? 'a team' : `the team ${name}`
  if (kind === 'invitation') {
    return {
      subject: `Join ${team} on Agenthall`,
      text: `You are invited to ${team}. This link works once, for seven days:\n\n${link}\n\nIf you did not expect it, do nothing.\n`
    }
  }
  return {
    subject: 'Choose a new password for Agenthall',
    text: `This link lets you choose a password. It works once, for 30 minutes:\n\n${link}\n\nIf you did not ask for it, do nothing: nothing changes.\n`
  }
}

const gone = (message: string) => Object.assign(new Error(message), { code: 'link_gone', retryable: false })
