import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

/** What a push service received, decrypted with the key of the browser that it is for. */
export interface Pushed { said: { title: string, body: string, conversation: string }, headers: Record<string, string> }

/** The sender's identification in a header, whose signature was verified with the key that it names. */
export function whoSends (authorization: string): { aud: string, exp: number, sub?: string, key: string } {
  const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization)!
  const [head, said, signature] = token!.split('.') as [string, string, string]
  const point = Buffer.from(key!, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' })
  const isTrue = verify(
    'sha256', Buffer.from(`${head}.${said}`), { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url')
  )
  if (!isTrue) throw new Error('The signature is not that of the key')
  return { ...JSON.parse(Buffer.from(said, 'base64url').toString()), key: key! }
}

/** A browser's keys, and how it decrypts what was encrypted for them, as in RFC 8291. */
export function browserKeys () {
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const keys = { p256dh: own.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
  const derived = (salt: Buffer, secret: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length))
  function opened (body: Buffer): string {
    const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)]
    const theirs = body.subarray(21, 21 + length)
    const record = body.subarray(21 + length)
    if (record.length > size) throw new Error('More than one record')
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs])
    const secret = derived(auth, own.computeSecret(theirs), info, 32)
    const decipher = createDecipheriv(
      'aes-128-gcm',
      derived(salt, secret, 'Content-Encoding: aes128gcm\0', 16),
      derived(salt, secret, 'Content-Encoding: nonce\0', 12)
    )
    decipher.setAuthTag(record.subarray(-16))
    const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    const end = text.findLastIndex((byte) => byte !== 0)
    if (text[end] !== 2) throw new Error('The last record ends with 2')
    return text.subarray(0, end).toString()
  }
  return { keys, opened }
}

/** A push service on loopback, and browsers subscribed to it by name. */
export async function pushService (t: Test) {
  const browsers = new Map<string, ReturnType<typeof browserKeys>>()
  const state = { status: 201, before: async () => {} }
  /** Browsers that are gone, with what the service says of them. */
  const gone = new Map<string, number>()
  const asked: string[] = []
  const pushed: Record<string, Pushed[]> = {}
  const heard = new Set<() => void>()
  const server = createServer(async (request, reply) => {
    const name = decodeURIComponent(request.url!.slice(1))
    const body = await buffer(request)
    asked.push(name)
    await state.before()
    const status = gone.get(name) ?? state.status
    if (status === 201) {
      const said = JSON.parse(browsers.get(name)!.opened(body)) as Pushed['said']
      ;(pushed[name] ??= []).push({ said, headers: request.headers as Record<string, string> })
    }
    reply.writeHead(status).end()
    for (const one of heard) one()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    state,
    gone,
    /** The names of the browsers that it was asked to notify, in order. */
    asked,
    /** What it received for a browser. */
    of: (name: string) => (pushed[name] ?? []).map(({ said }) => said),
    headersOf: (name: string) => pushed[name]!.map(({ headers }) => headers),
    /** Does something while it accepts no connections. */
    async away (work: () => Promise<void>) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await work()
      await new Promise<void>((resolve) => server.listen(Number(host.split(':')[1]), '127.0.0.1', resolve))
    },
    /** A browser's subscription. */
    subscription (name: string) {
      browsers.set(name, browserKeys())
      return { endpoint: `http://${host}/${name}`, keys: browsers.get(name)!.keys }
    },
    /** Resolves when it has received this many requests. */
    async askedTimes (count: number) {
      while (asked.length < count) {
        await new Promise<void>((resolve) => { heard.add(resolve) })
      }
    }
  }
}
