import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { EMAIL } from '../../../schema/common.ts'
import { lazily } from '../lazily.ts'
import { isPublic } from './address.ts'

/** An outgoing mail. */
export interface Mail {
  from: { name: string, address: string }
  to: string
  /** Where mail systems report failed delivery. */
  envelopeFrom: string
  replyTo: string
  subject: string
  text: string
  messageId: string
  references?: string
  headers: Record<string, string>
}

/** The bare address in `Help <help@example.com>`. */
export const bareAddress = (from: string) => /<([^<>]+)>\s*$/.exec(from)?.[1]?.trim() ?? from.trim()

/** Headers that mark a mail as automatic, so that no program answers it. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** A mail of the installation itself, whose address also receives answers. `id`: the unique part of its message id. */
export function serviceMail (from: string, to: string, id: string, words: Pick<Mail, 'subject' | 'text'>): Mail {
  return {
    from: { name: 'Agenthall', address: from },
    to,
    envelopeFrom: from,
    replyTo: from,
    messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
    headers: { ...AUTOMATIC },
    ...words
  }
}

/**
 * Whether mail programs turn this word or name into a link: a text that somebody else wrote must not lead from a mail
 * of ours to a page of their choice.
 */
export const becomesLink = (text: string): boolean => /[^\s.][.\u3002\uff0e\uff61][^\s.]|[:/]\//u.test(text)

const ONE_MAILBOX = new RegExp(EMAIL)

/** An address with its domain in the one spelling that mail programs turn it into, so that it is counted once. */
export function spelledOnce (address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = domainToUnicode(domainToASCII(address.slice(at)))
  return domain === '' ? address : address.slice(0, at) + domain
}

/** A mail server that accepts mail from us. */
export interface Smtp {
  /** Sends one. Throws a MailError. */
  send (mail: Mail, signal: AbortSignal): Promise<void>
  /** Resolves when the server lets us in. Throws a MailError. */
  check (): Promise<void>
}

/** The mail server failed or refused. `retryable`: waiting may help. */
class MailError extends Error {
  readonly code: 'mail_refused' | 'mail_unavailable'
  readonly retryable: boolean

  constructor (code: MailError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailError'
    this.code = code
    this.retryable = code === 'mail_unavailable'
  }
}

const LIMITS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 }

/**
 * The server at smtp:// or smtps://, with user name and password in the address. A password is only sent over TLS,
 * unless the server is in a private network. `limits` differ from the default in tests only.
 */
export function openSmtp (address: string, limits = LIMITS): Smtp {
  const transport = lazily(async () => {
    const { createTransport } = await import('nodemailer')
    const url = new URL(address)
    const isPrivate = url.hostname === 'localhost' || (isIP(url.hostname) !== 0 && !isPublic(url.hostname))
    return createTransport({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
      secure: url.protocol === 'smtps:',
      requireTLS: url.password !== '' && !isPrivate,
      ...(url.username && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
      // A private server has a certificate of its own.
      ...(isPrivate && { tls: { rejectUnauthorized: false } }),
      disableFileAccess: true,
      disableUrlAccess: true,
      ...limits
    })
  })

  return {
    async send ({ envelopeFrom, to, ...mail }, signal) {
      // It would be read as a list, or as another address: those who counted mails to it counted something else.
      if (!ONE_MAILBOX.test(to)) throw new MailError('mail_refused', 'The recipient is not one e-mail address.')
      const out = await transport()
      signal.throwIfAborted()
      const sent = out.sendMail({ ...mail, to, envelope: { from: envelopeFrom, to } }).catch((error: unknown) => {
        throw mailError(error)
      })
      const given = Promise.withResolvers<never>()
      const giveUp = () => given.reject(signal.reason)
      signal.addEventListener('abort', giveUp, { once: true })
      await Promise.race([sent, given.promise]).finally(() => signal.removeEventListener('abort', giveUp))
    },
    async check () {
      await (await transport()).verify().catch((error: unknown) => { throw mailError(error) })
    }
  }
}

/** 5xx about the mail itself is permanent; a refused password may be corrected. */
function mailError (cause: unknown): MailError {
  const { responseCode: code, command = '' } = cause as { responseCode?: number, command?: string }
  if (code !== undefined && code >= 500 && !/AUTH|CONN/i.test(command)) {
    return new MailError('mail_refused', `The mail server refused the mail with ${code}. Check the addresses.`, {
      cause
    })
  }
  const said = code === undefined ? 'cannot be reached, or closed the connection' : `answered ${code}`
  return new MailError('mail_unavailable', `The mail server ${said}. Check AGENTHALL_SMTP_URL if this happens again.`, {
    cause
  })
}
