import { CRAWL_FIELDS, type Crawl, type SourceDraft } from '../../../schema/knowledge.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { invalid, type FieldError } from '../../platform/errors.ts'
import { inTurns } from '../../platform/work/slices.ts'
import { writtenPairs } from '../../reading/pairs.ts'
import { pageAddress } from '../../reading/page-address.ts'
import { stageText } from '../stage.ts'
import type { NewSource } from '../contract.ts'

const KINDS = ['plain_text', 'faq', 'urls', 'google_drive_file_id'] as const

/** The type that a source has by what is given of it. */
const TYPES = { plain_text: 'text', faq: 'faq', urls: 'website', google_drive_file_id: 'google_drive' } as const

/** Errors of a draft beyond its shape; `at`: its path in the request, empty for the body itself. */
export function draftErrors (draft: SourceDraft, at = ''): FieldError[] {
  const field = (name: string) => at ? `${at}.${name}` : name
  const given = KINDS.filter((kind) => draft[kind] !== undefined)
  const [kind, second] = given
  const errors: FieldError[] = []
  if (kind === undefined || second !== undefined) {
    errors.push({
      field: field(second ?? KINDS[0]),
      message: `Give exactly one of ${KINDS.map(field).join(', ')}${at ? '' : ', or upload a file'}.`
    })
  } else if (draft.type !== undefined && draft.type !== TYPES[kind]) {
    errors.push({
      field: field('type'),
      message: `${field('type')} must be "${TYPES[kind]}" with ${kind}; leave it out, or give what goes with it.`
    })
  }
  draft.urls?.forEach((url, i) => {
    if (pageAddress(url) === undefined) {
      errors.push({
        field: field(`urls[${i}]`),
        message: `${field(`urls[${i}]`)} is not a valid address: use http:// or https:// and a host, without a user name.`
      })
    }
  })
  if (draft.urls === undefined) {
    for (const name of CRAWL_FIELDS) {
      if (draft[name] !== undefined) errors.push({ field: field(name), message: `${field(name)} goes with urls only.` })
    }
  }
  return errors
}

/**
 * The source a valid draft asks for; its text is staged, to be kept by the store or discarded. Throws VALIDATION_ERROR.
 */
export async function newSource (blobs: Blobs, draft: SourceDraft): Promise<NewSource> {
  const errors = draftErrors(draft)
  if (errors.length) throw invalid(...errors)
  const common = { folder: draft.agent_knowledge_folder, is_selected: draft.is_selected }
  if (draft.plain_text !== undefined) {
    return {
      ...common,
      type: 'text',
      ...(draft.title !== undefined && { title: draft.title }),
      text: await stageText(blobs, draft.plain_text)
    }
  }
  if (draft.faq) {
    return {
      ...common,
      type: 'faq',
      title: draft.title ?? 'Questions and answers',
      text: await stageText(blobs, await inTurns(writtenPairs(draft.faq)))
    }
  }
  if (draft.urls) {
    const urls = [...new Set(draft.urls.map((url) => pageAddress(url)!))]
    return {
      ...common,
      type: 'website',
      title: draft.title ?? urls[0]!.slice(0, 500),
      urls,
      crawl: crawlOf(draft, urls.length)
    }
  }
  const drive = draft.google_drive_file_id!
  return { ...common, type: 'google_drive', title: draft.title ?? drive, google_drive_file_id: drive }
}

/** How far to read: the addresses alone, unless more pages or more depth are asked for. */
export function crawlOf (
  { depth, count, refresh_hours: hours = null, include = [], exclude = [] }: Partial<Crawl>, addresses: number
): Crawl {
  return {
    depth: depth ?? (count !== undefined && count > addresses ? 3 : 0),
    count: count ?? (depth ? 500 : addresses),
    refresh_hours: hours,
    include,
    exclude
  }
}
