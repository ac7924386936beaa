import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40]

/** A software passkey, as a phone has it: produces what navigator.credentials.create() and get() return. */
export function authenticator ({ origin = 'http://localhost', host = 'localhost', isVerified = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  function authData (isNew: boolean) {
    counter++
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (isNew ? ATTESTED : 0)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags, 0)
    head.writeUInt32BE(counter, 1)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    // COSE: an elliptic curve key (2) for ES256 (-7) on P-256 (1).
    const key = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2], [3, -7], [-1, 1], [-2, bytes(x!)], [-3, bytes(y!)]
      ]) as never
    )
    return Buffer.concat([hash('sha256', host, 'buffer'), head, ...(isNew ? [Buffer.alloc(16), length, id, key] : [])])
  }

  const client = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const common = {
    id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key', clientExtensionResults: {}
  }

  return {
    /** Answers the options of a registration. */
    create ({ challenge }: { challenge: string }) {
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'], ['attStmt', new Map()], ['authData', new Uint8Array(authData(true))]
        ]) as never
      )
      return {
        ...common,
        response: {
          clientDataJSON: client('webauthn.create', challenge).toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal']
        }
      }
    },
    /** Answers the options of a sign-in. */
    get ({ challenge }: { challenge: string }) {
      const [clientData, data] = [client('webauthn.get', challenge), authData(false)]
      const signature = createSign('sha256').update(data).update(hash('sha256', clientData, 'buffer')).sign(privateKey)
      return {
        ...common,
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url')
        }
      }
    },
    /** Sets the signature counter to this many uses. */
    countFrom (times: number) { counter = times }
  }
}

function bytes (base64url: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64url, 'base64url'))
}
