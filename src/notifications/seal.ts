import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign, type ECDH, type KeyObject } from 'node:crypto'

/*
 * Messages for a browser's push service: text that only the browser can decrypt (RFC 8291), and the sender's identity
 * (RFC 8292). The service learns neither the contents nor the conversation.
 */

const CURVE = 'prime256v1'
/** The order of the curve's group: a private key is at least 1 and less than this. */
const ORDER = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
const KEY_BYTES = 32
/** A single record holds it all. */
const RECORD_BYTES = 4096
/** Lifetime of a sender's token, in seconds; 24 hours is the maximum allowed. */
const TRUSTED_S = 12 * 3600

/** The recipient: the keys that its browser provided. */
export interface Keys { p256dh: string, auth: string }

/** The sender: a private key, and the public one in the browsers' format. */
export interface Sender { key: KeyObject, publicKey: string }

/** Derives a sender's keys from 64 secret bytes. */
export function senderOf (secret: Uint8Array): Sender {
  const scalar = BigInt(`0x${Buffer.from(secret).toString('hex')}`) % (ORDER - 1n) + 1n
  const padded = Buffer.from(scalar.toString(16).padStart(2 * KEY_BYTES, '0'), 'hex')
  const ecdh = createECDH(CURVE)
  ecdh.setPrivateKey(padded)
  const point = ecdh.getPublicKey()
  const [x, y] = [point.subarray(1, 1 + KEY_BYTES), point.subarray(1 + KEY_BYTES)].map((half) => half.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x, y, d: padded.toString('base64url') }
  return { key: createPrivateKey({ key: jwk, format: 'jwk' } as never), publicKey: point.toString('base64url') }
}

/** Whether these keys can be used for sealing. */
export function areKeys (keys: Keys): boolean {
  try {
    sealed('', keys)
    return true
  } catch {
    return false
  }
}

function newKeyPair (): ECDH {
  const ecdh = createECDH(CURVE)
  ecdh.generateKeys()
  return ecdh
}

/** Seals a text. `sender` and `salt` are new each time, except in tests. */
export function sealed (
  text: string, { p256dh, auth }: Keys, sender: ECDH = newKeyPair(), salt: Uint8Array = randomBytes(16)
): Buffer {
  const [theirs, ours] = [Buffer.from(p256dh, 'base64url'), sender.getPublicKey()]
  const shared = sender.computeSecret(theirs)
  const secret = derived(Buffer.from(auth, 'base64url'), shared, Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]), 32)
  const key = derived(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derived(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // The byte after the text marks the last record.
  const body = [cipher.update(text), cipher.update(Uint8Array.of(2)), cipher.final(), cipher.getAuthTag()]
  const head = Buffer.alloc(5)
  head.writeUInt32BE(RECORD_BYTES)
  head.writeUInt8(ours.length, 4)
  return Buffer.concat([salt, head, ours, ...body])
}

const derived = (salt: Uint8Array, secret: Uint8Array, info: Uint8Array, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** The header that identifies the sender to a push service. `contact`: if known; `now`: in seconds. */
export function authorization (
  { key, publicKey }: Sender, address: string, { contact, now }: { contact: string | undefined, now: number }
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const said = { aud: new URL(address).origin, exp: now + TRUSTED_S, ...(contact !== undefined && { sub: contact }) }
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(said)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`
}
