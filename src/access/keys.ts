import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Secret } from '../platform/http/log.ts'
import { LINK_SECRET } from './sign-in/tokens.ts'

const PREFIX = 'agh_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 is the first power above 2^256. */
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`)

/** Keys and links anywhere in a log, and whatever follows the name of the keys' scheme. */
export const SECRETS: Secret[] = [
  { looks: new RegExp(`${PREFIX}[0-9A-Za-z]{8,}`, 'g'), shown: `${PREFIX}[hidden]` },
  { looks: /agr_[\w.-]{8,}/g, shown: 'agr_[hidden]' },
  { looks: /\b(Api-Key)\s+[^\s"\\]+/gi, shown: '$1 [hidden]' },
  LINK_SECRET
]

/** A new secret: `agh_`, 32 random bytes in base62, and six base62 digits of their CRC-32. */
export function newKey (bytes: Uint8Array = randomBytes(32)): string {
  const number = BigInt('0x' + Buffer.from(bytes).toString('hex'))
  return PREFIX + base62(number, SECRET_LENGTH) + base62(BigInt(crc32(bytes)), CHECK_LENGTH)
}

/** Whether a text has the form and checksum of a key; typos and made-up keys are detected without a query. */
export function looksLikeKey (key: string): boolean {
  if (!FORM.test(key)) return false
  const number = [...key.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH)].reduce(
    (sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n
  )
  if (number >= 1n << 256n) return false
  const bytes = Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
  return key.endsWith(base62(BigInt(crc32(bytes)), CHECK_LENGTH))
}

/**
 * Stored instead of the key. A fast hash is right here: with 256 random bits there is nothing to guess that a slow one
 * would protect.
 */
export function digestOf (key: string): string {
  return hash('sha256', key, 'base64url')
}

/** The key's prefix, for people to tell keys apart. */
export function hintOf (key: string): string {
  return key.slice(0, PREFIX.length + 4) + '…'
}

function base62 (number: bigint, length: number): string {
  let text = ''
  for (; number > 0n; number /= 62n) text = DIGITS[Number(number % 62n)] + text
  return text.padStart(length, '0')
}
