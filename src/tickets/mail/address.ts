import { randomBytes, timingSafeEqual } from 'node:crypto'
import { bareAddress } from '../../platform/net/smtp.ts'

/** Whom one of our addresses was made for: the business, the requester, or mail systems that could not deliver. */
export type Side = 'business' | 'requester' | 'bounce'

/** The content of one of our addresses or message ids, once verified. */
export interface Known { ticket: string, side: Side }

/** The addresses and ids of mail about tickets. Each carries a code that only this installation can make. */
export interface Addressing {
  /** The bare address that mail comes from. */
  readonly address: string
  /** Reply address: `help+t_{id}.{code}@example.com`. */
  replyTo (ticket: string, side: 'business' | 'requester'): string
  /** Bounce address: `help+b_…`. */
  bounceTo (ticket: string): string
  /** `<t.{id}.{n}.{code}@example.com>`, the same for every attempt. */
  messageId (ticket: string, n: number, side: Side): string
  /** The content of an address, if we made it. */
  read (address: string): Known | undefined
  /** The content of a message id, if we made it. */
  readId (messageId: string): Known | undefined
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const CODE = 16

/** Bytes in base32: letters and digits that no mail program changes. */
function lettersOf (bytes: Uint8Array, count: number): string {
  return Array.from({ length: count }, (_none, i) => LETTERS[bytes[i]! & 31]).join('')
}

/** A new id of a ticket. */
export const newTicketId = () => `tkt_${lettersOf(randomBytes(20), 20)}`

/** `mac` makes 32 bytes of a text that only this installation can make; `from` is what mail comes from. */
export function addressing (from: string, mac: (text: string) => Uint8Array): Addressing {
  const address = bareAddress(from)
  const [local = '', domain = ''] = address.split('@')
  const codeOf = (text: string) => lettersOf(mac(text), CODE)
  const shortOf = (ticket: string) => ticket.replace(/^tkt_/, '')
  const sideCode = (ticket: string, side: Side) => codeOf(`${side} ${ticket}`)
  const idCode = (ticket: string, n: number, side: Side) => codeOf(`id ${side} ${n} ${ticket}`)

  return {
    address,
    replyTo: (ticket, side) => `${local}+t_${shortOf(ticket)}.${sideCode(ticket, side)}@${domain}`,
    bounceTo: (ticket) => `${local}+b_${shortOf(ticket)}.${sideCode(ticket, 'bounce')}@${domain}`,
    messageId: (ticket, n, side) => `<t.${shortOf(ticket)}.${n}.${idCode(ticket, n, side)}@${domain}>`,
    read (text) {
      const [, kind, short, code = ''] = /\+([tb])_([a-z2-7]{20})\.([a-z2-7]{16})@/.exec(text.toLowerCase()) ?? []
      if (!short) return undefined
      const sides: Side[] = kind === 'b' ? ['bounce'] : ['business', 'requester']
      return knownOf(`tkt_${short}`, sides, (ticket, side) => same(sideCode(ticket, side), code))
    },
    readId (text) {
      const [, short, n, code = ''] = /<t\.([a-z2-7]{20})\.(\d{1,6})\.([a-z2-7]{16})@/.exec(text.toLowerCase()) ?? []
      return short
        ? knownOf(`tkt_${short}`, ['business', 'requester'], (ticket, side) =>
          same(idCode(ticket, Number(n), side), code)
        )
        : undefined
    }
  }
}

function knownOf (ticket: string, sides: Side[], isRight: (ticket: string, side: Side) => boolean): Known | undefined {
  const side = sides.find((one) => isRight(ticket, one))
  return side && { ticket, side }
}

function same (a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
