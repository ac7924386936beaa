import { isIP } from 'node:net'
import type { ImapFlow } from 'imapflow'
import { isPublic } from './address.ts'

/** Looks through a mailbox. */
interface Mailbox {
  /**
   * Hands over each mail that has not been looked at, oldest first; one that `take` resolves for is not handed over
   * again, one that it throws at is, the next time. What is `true` is marked as read. Throws what the server or the
   * line fails with.
   */
  each (take: (mail: Buffer) => Promise<boolean>, signal: AbortSignal): Promise<void>
  /** Resolves when the mailbox opens; nothing in it is looked at. Throws what the server or the line fails with. */
  check (signal: AbortSignal): Promise<void>
}

/** What marks a mail that was looked at, for us alone: people still see which ones are unread. */
const LOOKED_AT = '$Agenthall'
/** Mails looked at in one go. */
const AT_ONCE = 100
const TIMEOUT_MS = 30_000

/**
 * The mailbox at imap:// or imaps://user:password@host/FOLDER (INBOX without one). Mails over `mostBytes` are passed
 * over.
 */
export function openMailbox (address: string, mostBytes: number): Mailbox {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isPrivate = host === 'localhost' || (isIP(host) !== 0 && !isPublic(host))

  /** Opens the mailbox for as long as `work` takes. */
  async function open (signal: AbortSignal, work: (client: ImapFlow) => Promise<void>) {
    const { ImapFlow } = await import('imapflow')
    signal.throwIfAborted()
    const client = new ImapFlow({
      host,
      port: Number(url.port) || (url.protocol === 'imaps:' ? 993 : 143),
      secure: url.protocol === 'imaps:',
      // A password is told over TLS, unless it does not leave the house.
      ...(url.protocol === 'imap:' && !isPrivate && { doSTARTTLS: true }),
      ...(isPrivate && { tls: { rejectUnauthorized: false } }),
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: 2 * TIMEOUT_MS
    })
    // Told by whatever fails; without a listener it would end the process.
    client.on('error', () => undefined)
    const stop = () => client.close()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect()
      const lock = await client.getMailboxLock(decodeURIComponent(url.pathname.slice(1)) || 'INBOX')
      try {
        await work(client)
      } finally {
        lock.release()
      }
      await client.logout()
    } finally {
      signal.removeEventListener('abort', stop)
      client.close()
    }
  }

  return {
    each: async (take, signal) => await open(signal, async (client) => {
      for (const uid of ((await client.search({ unKeyword: LOOKED_AT, seen: false }, { uid: true })) || []).slice(
        0, AT_ONCE
      )) {
        signal.throwIfAborted()
        const found = await client.fetchOne(String(uid), { size: true }, { uid: true })
        const isSmall = found && (found.size ?? 0) <= mostBytes
        const whole = isSmall ? await client.fetchOne(String(uid), { source: true }, { uid: true }) : false
        const isTaken = whole && whole.source ? await take(whole.source) : false
        await client.messageFlagsAdd(String(uid), isTaken ? [LOOKED_AT, '\\Seen'] : [LOOKED_AT], { uid: true })
      }
    }),
    check: async (signal) => await open(signal, async () => {})
  }
}
