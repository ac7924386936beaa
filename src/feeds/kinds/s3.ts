import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import { formatOfName } from '../../reading/formats.ts'
import type { FeedReader, Item, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { ask, type Asking } from './asking.ts'
import { entriesOf } from './xml.ts'

/** Maximum objects per list. */
const PAGE = 1000

/** The S3 request to sign. */
interface Signing { url: URL, region: string, accessKey: string, secret: string, clock: Clock }

/** URL-encodes as S3 requires: RFC 3986's unreserved characters only stay as they are. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The headers of a GET that is signed with Signature Version 4. */
export function signedHeaders ({ url, region, accessKey, secret, clock }: Signing): Record<string, string> {
  const at = `${new Date(clock.micros() / 1000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const day = at.slice(0, 8)
  const empty = sha256('')
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort().join('&')
  const headers = { host: url.host, 'x-amz-content-sha256': empty, 'x-amz-date': at }
  const names = Object.keys(headers).join(';')
  const said = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`).join('')
  const request = ['GET', url.pathname, query, said, names, empty].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, day), region))
  const signature = hmac(key, ['AWS4-HMAC-SHA256', at, scope, sha256(request)].join('\n')).toString('hex')
  return {
    'x-amz-content-sha256': empty,
    'x-amz-date': at,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}

/** Reads the objects of a bucket; lists tell which have changed. */
export function s3Reader ({ fileLimit, ...parts }: Pick<Asking, 'fetch' | 'clock'> & { fileLimit: number }): FeedReader {
  /** Requests an object, or a list of objects, from the bucket. */
  async function get (
    { config, secret, signal }: LookAt, key: string, query: Record<string, string>, maxBytes: number
  ): Promise<Uint8Array> {
    const path = [config['bucket']!, ...key ? key.split('/') : []].map(escaped).join('/')
    const url = new URL(`${config['url']!.replace(/\/$/, '')}/${path}`)
    url.search = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')
    const headers = signedHeaders({
      url, region: config['region']!, accessKey: config['access_key']!, secret: secret!, clock: parts.clock
    })
    // A redirect would be signed for another host.
    const asked = { ...parts, system: url.host, headers, signal }
    return (await ask(asked, url.href, { maxBytes, redirect: 'manual' })).bytes
  }

  return {
    async * list (look: LookAt) {
      const prefix = look.config['prefix']
      let token = ''
      do {
        const bytes = await get(look, '', {
          'list-type': '2',
          'max-keys': String(PAGE),
          ...(prefix !== undefined && { prefix }),
          ...(token && { 'continuation-token': token })
        }, 16 * 1024 * 1024)
        const { root, entries, rest, isWhole } = await entriesOf(bytes, ['Contents'], PAGE)
        if (root !== 'ListBucketResult' || !isWhole) {
          throw new FeedFault('unreadable', `${new URL(look.config['url']!).host} did not send a list of objects. Check the address.`)
        }
        yield entries.flatMap((entry): Item[] => {
          const key = entry.get('Key') ?? ''
          if (formatOfName(key) === undefined) return []
          const digest = entry.get('ETag') ?? ''
          return [{
            key,
            title: key.split('/').at(-1)!,
            url: null,
            changedAt: entry.get('LastModified') ?? null,
            ...(digest && { digest }),
            place: Number(entry.get('Size'))
          }]
        })
        token = rest.get('IsTruncated') === 'true' ? rest.get('NextContinuationToken') ?? '' : ''
        if (!token && rest.get('IsTruncated') === 'true') return { isWhole: false, cursor: null }
      } while (token)
      return { isWhole: true, cursor: null }
    },

    async read (item, look) {
      const { key, title, place } = item
      if (Number(place) > fileLimit) {
        return { failed: { code: 'too_large', message: `${key} is larger than the ${fileLimit} bytes that a file may have.` } }
      }
      try {
        return { content: { bytes: await get(look, key, {}, fileLimit), name: title } }
      } catch (error) {
        // Deleted since it was listed, or not ours to read.
        if (error instanceof FeedFault && (error.code === 'not_found' || error.code === 'denied')) return { failed: error }
        throw error
      }
    }
  }
}
