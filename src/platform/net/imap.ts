import { isIP } from 'node:net'
import type { ImapFlow } from 'imapflow'
import { isPublic } from './address.ts'

/** Checks a mailbox for new mails. */
interface Mailbox {
  /**
   * Passes each mail that has not been processed, oldest first; one that `take` resolves for is not passed again, one
   * that it throws at is, the next time. If it resolves with `true`, the mail is marked as read. Throws the error of
   * the server or the connection.
   */
  each (take: (mail: Buffer) => Promise<boolean>, signal: AbortSignal): Promise<void>
  /** Resolves when the mailbox opens; nothing in it is read. Throws the error of the server or the connection. */
  check (signal: AbortSignal): Promise<void>
}

/** Marks a mail as processed, for us alone: people still see which ones are unread. */
const LOOKED_AT = '$Agenthall'
/** Mails processed in one go. */
const MAILS_AT_ONCE = 100
const TIMEOUT_MS = 30_000

/**
 * The mailbox at imap:// or imaps://user:password@host/FOLDER (INBOX by default). Mails over `mostBytes` are skipped.
 */
export function openMailbox (address: string, mostBytes: number): Mailbox {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isPrivate = host === 'localhost' || (isIP(host) !== 0 && !isPublic(host))

  /** Opens the mailbox for the duration of `work`. */
  async function open (signal: AbortSignal, work: (client: ImapFlow) => Promise<void>) {
    const { ImapFlow } = await import('imapflow')
    signal.throwIfAborted()
    const client = new ImapFlow({
      host,
      port: Number(url.port) || (url.protocol === 'imaps:' ? 993 : 143),
      secure: url.protocol === 'imaps:',
      // A password is sent over TLS, unless it stays within the private network.
      ...(url.protocol === 'imap:' && !isPrivate && { doSTARTTLS: true }),
      ...(isPrivate && { tls: { rejectUnauthorized: false } }),
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: 2 * TIMEOUT_MS
    })
    // Emitted for any failure; without a listener it would end the process.
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
        0, MAILS_AT_ONCE
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
