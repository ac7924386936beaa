import type { Command } from 'commander'
import { openSmtp } from '../../platform/net/smtp.ts'
import { command, configOf, print, table, withStores, type CommonOptions, type CliIo } from '../common.ts'

/** `mail`: how mail is sent and received, and whether the mail server accepts it. */
export function mailCommand (io: CliIo): Command {
  return command(
    'mail', 'how mail goes out and comes in, and whether the mail server accepts our login', 'mail', 'mail --json'
  ).action(async (options: CommonOptions) => {
    const { SMTP_URL: smtp, MAIL_FROM: from, IMAP_URL: imap, BASE_URL: base } = configOf(io, options)
    const token = await withStores(io, options, async ({ tickets }) => tickets.inbox.token())
    const server =
      smtp === ''
        ? 'not set (AGENTHALL_SMTP_URL)'
        : await openSmtp(smtp)
          .check()
          .then(
            () => 'accepts our login', (error: Error) => error.message
          )
    const found = {
      out: server,
      from: from || 'not set (AGENTHALL_MAIL_FROM)',
      mailbox: imap === '' ? 'not set (AGENTHALL_IMAP_URL)' : 'checked once a minute',
      posted_to: `${base}/v1/inbound/mail/${token}`
    }
    print(io, options, found, () => table([found], ''))
  })
}
