import type { Id } from '../../schema/common.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { spelledOnce } from '../platform/net/smtp.ts'
import type { Work } from '../platform/storage/work.ts'
import { newTicketId } from './mail/address.ts'

const DAY_MICROS = 86_400_000_000

/** What is known of mail before there is a ticket; `reserve` and `note` run inside a transaction. */
interface Reserved {
  /** The ticket that an answer to a mail about a conversation opens. */
  reserve (conversation: string): Work<string>
  /** The conversation that a ticket is reserved for. */
  of (ticket: string): Work<{ owner: Id, conversation: string } | undefined>
  /** Records an automatic mail to an address today; false if there already was one. */
  note (address: string): Work<boolean>
}

/** See Reserved. */
export function reservedTickets ({ db, clock, vault }: Pick<Kernel, 'db' | 'clock' | 'vault'>): Reserved {
  const keep = db.objects(
    'insert into reserved_tickets (id, conversation) select ?, number from conversations where id = ? on conflict do nothing'
  )
  const idOf = db.column<[string], string>(
    'select id from reserved_tickets where conversation = (select number from conversations where id = ?)'
  )
  const conversationOf = db.objects<[string], { owner: Id, conversation: string }>(
    `select c.owner_id as owner, c.id as conversation from reserved_tickets r join conversations c on c.number = r.conversation
      where r.id = ? and ${OF_KEPT_AGENT}`
  )
  const noteMail = db.objects('insert or ignore into automatic_mails (address, day) values (?, ?)')
  const forgetMails = db.objects('delete from automatic_mails where day < ?')
  return {
    * reserve (conversation) {
      yield * keep.run(newTicketId(), conversation)
      return (yield * idOf.get(conversation))!
    },
    of: (ticket) => conversationOf.get(ticket),
    * note (address) {
      const day = Math.floor(clock.micros() / DAY_MICROS)
      yield * forgetMails.run(day - 1)
      return (yield * noteMail.run(vault.mac('automatic mail', spelledOnce(address).toLowerCase()).toString('base64url'), day)) === 1
    }
  }
}
