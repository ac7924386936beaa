import { evenEscapes } from '../reading/page-address.ts'
import { patternsKeyOf } from './visit.ts'

/** Which pages of a site are taken, as path patterns. */
export interface Patterns { include: readonly string[], exclude: readonly string[] }

/** Why patterns exclude a page. */
export type LeftOut = 'not_included' | 'excluded'

/** Compiled patterns, for checking many pages. */
export interface Taking {
  /** Whether a page is taken. */
  isTaken (address: string): boolean
  /** Identifies these patterns where a visit remembers links; empty if there are none, so that all are taken. */
  key: string
}

/**
 * Compiles patterns: a page is taken if it matches one of `include`, or there is none, and none of `exclude`. A pattern
 * is a path from the root of a site, in which `*` stands for anything, slashes too. It has to match the whole path;
 * `/help/*` matches `/help` as well. The query of an address counts if the pattern has one. Case matters, escapes do
 * not: `/café` and `/caf%C3%A9` are equal. `onLeft`: called for excluded pages.
 */
export function taking (
  { include, exclude }: Patterns, onLeft: (address: string, why: LeftOut) => void = () => {}
): Taking {
  const taken = include.flatMap(patternsOf)
  const left = exclude.flatMap(patternsOf)

  function leftOut (address: string): LeftOut | undefined {
    const { pathname, search } = new URL(address)
    const fits = (pattern: Pattern) => matches(pattern, pattern.hasQuery ? pathname + search : pathname)
    if (left.some(fits)) return 'excluded'
    return taken.length === 0 || taken.some(fits) ? undefined : 'not_included'
  }

  return {
    isTaken (address) {
      const why = leftOut(address)
      if (why) onLeft(address, why)
      return why === undefined
    },
    key: taken.length + left.length === 0 ? '' : patternsKeyOf(JSON.stringify([include, exclude]))
  }
}

interface Pattern { head: string, between: string[], tail: string | undefined, hasQuery: boolean }

/** A compiled pattern; one for a folder's contents matches the folder too. */
function patternsOf (text: string): Pattern[] {
  const folder = text.includes('?') ? '' : text.slice(0, text.endsWith('*') ? text.lastIndexOf('/') : 0)
  const isFolder = folder !== '' && [...text.slice(folder.length + 1)].every((sign) => sign === '*')
  return (isFolder ? [text, folder] : [text]).map(patternOf)
}

/** A pattern, spelt as pageAddress() spells addresses. */
function patternOf (text: string): Pattern {
  const { pathname, search } = new URL(`http://site${text}`)
  const [head = '', ...between] = evenEscapes(pathname + search).split('*')
  const tail = between.pop()
  return { head, between, tail, hasQuery: text.includes('?') }
}

/** Searches the parts from left to right, each after the one before. */
function matches ({ head, between, tail }: Pattern, path: string): boolean {
  if (tail === undefined) return path === head
  if (!path.startsWith(head)) return false
  let at = head.length
  for (const part of between) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return path.length - tail.length >= at && path.endsWith(tail)
}
