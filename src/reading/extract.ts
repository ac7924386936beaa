import type { Hints, Recognised } from './contract.ts'
import { detect } from './detect.ts'
import type { Document } from './document.ts'
import { ExtractError } from './error.ts'
import { readerOf } from './formats.ts'

/** What the caller knows about a file. */
export interface Source extends Hints {
  /** Questions and answers, a passage each. */
  isPairs?: boolean
  /** Reads the letters in a picture of a page; pages that are pictures are left out without it. */
  recognise?: (picture: Buffer) => Promise<string>
}

/** Messages inside messages that are opened. */
const MOST_INSIDE = 5

/**
 * Reads an untrusted file of any kind. Only ever called in the sandbox (through `apart.ts`): a malicious file can still
 * exhaust the process's time and memory. Throws ExtractError, also for what a reader fails on.
 */
export async function extract (bytes: Uint8Array, source: Source = {}, inside = 0): Promise<Document> {
  try {
    const file = detect(bytes, source)
    return source.isPairs ? (await import('./formats/pairs.ts')).pairsIn(file) : await read(file, source, inside)
  } catch (error) {
    throw error instanceof ExtractError ? error : new ExtractError('damaged', undefined, { cause: error })
  }
}

async function read (file: Recognised, { recognise }: Source, inside: number): Promise<Document> {
  const readOther = (bytes: Uint8Array, hints: Hints) => {
    if (inside === MOST_INSIDE) {
      throw new ExtractError(
        'too_large',
        `The message holds messages in messages more than ${MOST_INSIDE} deep. Save them and upload them separately.`
      )
    }
    return extract(bytes, { ...hints, ...(recognise && { recognise }) }, inside + 1)
  }
  return await readerOf(file)(file, { recognise, readOther })
}
