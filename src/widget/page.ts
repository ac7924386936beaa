import type { Page } from '../../schema/conversations.ts'
import { redacted } from '../models/index.ts'

/** Characters of an address and of a title that are stored. */
const MAX_URL = 500
const MAX_TITLE = 150

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
const LETTERS_AND_DIGITS = /[\da-z]{20,}/gi

/**
 * The page that a visitor is on, as it is stored: null if it belongs to a site that the widget key does not list. The
 * query string and the fragment are dropped, since they carry sign-in tokens and search words; e-mail addresses,
 * telephone and card numbers, and path segments that look like tokens are masked.
 */
export function pageOf (sent: { url: string, title?: string }, origins: readonly string[]): Page | null {
  const url = URL.parse(sent.url)
  if (!url || !origins.includes(url.origin)) return null
  return {
    url: cut(url.origin + masked(url.pathname), MAX_URL),
    title: cut(redacted(oneLine(sent.title ?? '')), MAX_TITLE)
  }
}

/** A path without personal data; unchanged, with its escapes, where it held none. */
function masked (path: string): string {
  const text = decoded(path)
  const safe = redacted(text)
    .replace(UUID, '[token]')
    .replace(LETTERS_AND_DIGITS, (run) => /\d/.test(run) && /[a-z]/i.test(run) ? '[token]' : run)
  return safe === text ? path : oneLine(safe).replaceAll(/[?#]/g, '')
}

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** White space, control characters and halves of surrogate pairs become single spaces. */
const oneLine = (text: string) => text.replaceAll(/[\s\p{C}]+/gu, ' ').trim()

/** Never cuts a character in two. */
const cut = (text: string, length: number) => Array.from(text.slice(0, length * 2)).slice(0, length).join('')
