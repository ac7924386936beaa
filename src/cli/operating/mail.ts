import type { Command } from 'commander'
import { openSmtp } from '../../platform/net/smtp.ts'
import { command, configOf, print, table, withStores, type CommonOptions, type Surroundings } from '../common.ts'

/** `mail`: how mail goes out and comes in, and whether the mail server takes it. */
export function mailCommand (around: Surroundings): Command {
  return command(
    'mail', 'how mail goes out and comes in, and whether the mail server lets us in', 'mail', 'mail --json'
  ).action(async (options: CommonOptions) => {
    const { SMTP_URL: smtp, MAIL_FROM: from, IMAP_URL: imap, BASE_URL: base } = configOf(around, options)
    const token = await withStores(around, options, async ({ tickets }) => tickets.inbox.token())
    const server =
      smtp === ''
        ? 'not set (AGENTHALL_SMTP_URL)'
        : await openSmtp(smtp)
          .check()
          .then(
            () => 'lets us in', (error: Error) => error.message
          )
    const found = {
      out: server,
      from: from || 'not set (AGENTHALL_MAIL_FROM)',
      mailbox: imap === '' ? 'not set (AGENTHALL_IMAP_URL)' : 'looked into once a minute',
      posted_to: `${base}/v1/inbound/mail/${token}`
    }
    print(around, options, found, () => table([found], ''))
  })
}
