import type { SourceDraft } from '../../../schema/knowledge.ts'
import { writtenPairs } from '../../reading/pairs.ts'
import { inTurns } from '../../platform/work/slices.ts'
import type { Egress } from '../../platform/net/egress.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { crawl } from '../../crawling/crawl.ts'
import { charactersIn } from '../../reading/document.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import type { Drive } from '../../crawling/drive.ts'
import { ReaderError } from '../../reading/error.ts'
import { siteLooker, type Asker, type SiteAsked } from './pages.ts'
import { learnApart, linksApart, type Reading, type Task } from '../../reading/apart.ts'

/** What reading a source would yield. */
export interface Cost {
  bytes: number
  format: string
  no_of_chars: number
  no_of_hidden_chars: number
  no_of_pages: number | null
  no_of_rows: number | null
}

/**
 * Reads a source as training would, and keeps nothing. What cannot be read is refused with VALIDATION_ERROR, saying
 * why; a fault of ours with `unavailable`.
 */
export type Preview = ReturnType<typeof previewer>

/** See Preview. */
export function previewer ({
  egress, drive, reading, fileLimit, neighbours
}: {
  egress: Egress, drive: Drive, reading: Reading, fileLimit: number, neighbours: Pick<Neighbours, 'hold'>
}) {
  async function read (
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    task: Omit<Task & { kind: 'learn' }, 'kind' | 'title'>,
    asker: Asker
  ): Promise<Cost> {
    for await (const said of learnApart(bytes, { title: null, ...task }, { ...reading, ...asker })) {
      if (!('about' in said)) continue
      const { bytes, chars, format, hidden, pages, rows } = said.about
      return { bytes, format, no_of_chars: chars, no_of_hidden_chars: hidden, no_of_pages: pages, no_of_rows: rows }
    }
    throw invalid({ field: 'file', message: 'The file holds no text.', code: 'no_text' })
  }

  async function page (url: string, asker: Asker): Promise<Cost> {
    const links = (bytes: Uint8Array, address: string, contentType: string) =>
      linksApart(bytes, address, contentType, { ...reading, ...asker })
    const signal = AbortSignal.any([asker.signal, AbortSignal.timeout(reading.deadlineMs)])
    for await (const outcome of crawl(url, {
      fetch: egress.fetch, read: links, limits: { pages: 1, depth: 0, bytes: fileLimit }, known: new Map(), signal
    })) {
      if (outcome.kind === 'failed') throw outcome.failure
      if (outcome.kind === 'page') {
        return await read([outcome.bytes!], { contentType: outcome.contentType }, asker)
      }
    }
    throw invalid({ field: 'urls[0]', message: 'No text was found at this address.', code: 'no_text' })
  }

  async function fromDrive (id: string, asker: Asker): Promise<Cost> {
    const { signal } = asker
    const item = await drive.describe(id, signal)
    if (item.isFolder) {
      throw invalid({ field: 'google_drive_file_id', message: 'This is a folder; preview its files one by one.' })
    }
    const { bytes, contentType } = await drive.download(item, { maxBytes: fileLimit, signal })
    return await read([bytes], { name: item.name, contentType }, asker)
  }

  const look = siteLooker({ egress, reading, fileLimit, neighbours })
  return {
    /** Which pages of a site would be read. */
    pages: (site: SiteAsked, asker: Asker) => explained('url', look(site, asker)),
    /** `isPairs`: it holds questions and answers. */
    file: (bytes: AsyncIterable<Uint8Array>, name: string, isPairs: boolean, asker: Asker) =>
      explained('file', read(bytes, { name, isPairs }, asker)),
    async draft (
      { faq, plain_text: given, urls, google_drive_file_id: drive }: SourceDraft, asker: Asker
    ): Promise<Cost> {
      const text = given ?? (faq && await inTurns(writtenPairs(faq)))
      if (text !== undefined) {
        return {
          ...await inTurns(sizeOf(text)),
          format: 'text',
          no_of_hidden_chars: 0,
          no_of_pages: null,
          no_of_rows: faq?.length ?? null
        }
      }
      return await (urls
        ? explained('urls[0]', page(urls[0]!, asker))
        : explained('google_drive_file_id', fromDrive(drive!, asker)))
    }
  }
}

/** Units of a text that are counted in one go. */
const COUNTED_AT_ONCE = 2 ** 20

/** How large a text is; stops between its pieces. */
function * sizeOf (text: string): Generator<void, Pick<Cost, 'bytes' | 'no_of_chars'>> {
  let [bytes, chars] = [0, 0]
  for (let at = 0; at < text.length;) {
    const end = at + COUNTED_AT_ONCE
    // Never between the halves of a surrogate pair.
    const next = (text.charCodeAt(end) & 0xFC00) === 0xDC00 ? end + 1 : end
    const piece = text.slice(at, next)
    bytes += Buffer.byteLength(piece)
    chars += charactersIn(piece)
    at = next
    yield
  }
  return { bytes, no_of_chars: chars }
}

/** What kept a source from being read, as an error of the field it came in. */
async function explained<T> (field: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReaderError) {
      throw new Refusal('unavailable', error.message, { cause: error, headers: { 'retry-after': '5' } })
    }
    const { code, message, retryable } = error as { code?: unknown, message?: unknown, retryable?: unknown }
    if (typeof code === 'string' && typeof retryable === 'boolean') {
      throw invalid({ field, message: String(message), code })
    }
    throw error
  }
}
