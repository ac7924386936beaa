import { PassThrough, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { formatOfName } from '../../reading/formats.ts'
import type { FeedReader, Item, LookAt } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { ask, type Asking } from './asking.ts'
import { untar } from './tar.ts'

const MAX_ARCHIVE_BYTES = 128 * 1024 * 1024
/** Maximum unpacked bytes of an archive, whatever is in it. */
const MAX_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024

/** Reads the files of a repository from its archive, which changes whenever one of them does. */
export function gitReader ({ fileLimit, ...asking }: Pick<Asking, 'fetch' | 'clock'> & { fileLimit: number }): FeedReader {
  return {
    async * list ({ config, secret, cursor, signal }: LookAt) {
      const url = config['url']!
      const headers = {
        ...(secret !== null && { authorization: `Bearer ${secret}` }), ...(cursor !== null && { 'if-none-match': cursor })
      }
      const asked = { ...asking, system: new URL(url).host, headers, signal }
      const answer = await ask(asked, url, { maxBytes: MAX_ARCHIVE_BYTES })
      if (answer.status === 304) return { isWhole: true, isDelta: true, cursor }
      const below = config['path'] === undefined ? '' : `${config['path'].split('/').filter(Boolean).join('/')}/`
      try {
        for await (const item of filesOf(answer.bytes, below, fileLimit)) yield [item]
      } catch (error) {
        if (error instanceof FeedFault) throw error
        throw new FeedFault('unreadable', 'The archive cannot be unpacked. Check that its address ends in .tar.gz and opens without signing in.')
      }
      return { isWhole: true, cursor: answer.headers['etag'] ?? null }
    },
    // The list includes everything else.
    read: async ({ key }) => ({ failed: { code: 'too_large', message: `${key} is larger than a file may be.` } })
  }
}

async function * filesOf (archive: Uint8Array, below: string, fileLimit: number): AsyncGenerator<Item> {
  let unpacked = 0
  const counted = new PassThrough({
    transform (piece: Uint8Array, _encoding, done) {
      unpacked += piece.length
      done(unpacked > MAX_UNPACKED_BYTES
        ? new FeedFault('too_large', 'The archive is larger than 2 GB once it is unpacked. Name a folder in it, or another archive.')
        : null, piece)
    }
  })
  const unzipped = createGunzip()
  unzipped.on('error', (error) => counted.destroy(error))
  Readable.from([archive], { objectMode: false }).pipe(unzipped).pipe(counted)
  const keyOf = (name: string) => name.split('/').slice(1).join('/')
  const tooLarge: string[] = []
  const isWanted = (name: string, size: number) => {
    const key = keyOf(name)
    if (!key.startsWith(below) || formatOfName(key) === undefined || /(^|\/)\./.test(key)) return false
    if (size > fileLimit) tooLarge.push(key)
    return size <= fileLimit
  }
  const itemOf = (key: string): Item => ({ key, title: key.split('/').at(-1)!, url: null, changedAt: null })
  for await (const { name, bytes } of untar(counted, isWanted)) {
    const item = itemOf(keyOf(name))
    yield { ...item, isPath: true, content: { bytes, name: item.title } }
  }
  // They exist, so they were not removed.
  for (const key of tooLarge) yield itemOf(key)
}
