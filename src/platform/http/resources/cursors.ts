import { hash } from 'node:crypto'
import { Type, type TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Id } from '../../../../schema/common.ts'
import { Paging } from '../../../../schema/envelopes.ts'
import { invalid } from '../../errors.ts'

/** Items of a list that is asked for in parts, where nothing is said of how many. */
export const DEFAULT_LIMIT = 20
/** Characters of the digest that a cursor begins with. */
const DIGEST = 8
const NUMBER = /^\d{1,16}$/

/** What follows the items of a part. */
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Send it as `cursor` for the next part, with the same filters; null at the end'
})

const AskedCursor = Type.Optional(Type.String({
  minLength: 1, maxLength: 200, pattern: '^[\\w-]+$', description: 'next_cursor of the part before'
}))

/** The query of a list that can be asked for in parts; `what`: its items, as a sentence begins. */
export const inParts = (what: string) => ({
  cursor: AskedCursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: `${what} at most; 20 without it` }))
})

/** The query of a list that is whole unless it is asked for in parts. */
export const InPartsIfAsked = Type.Object({
  cursor: AskedCursor,
  limit: Type.Optional(Type.Integer({
    minimum: 1, maximum: 100, description: 'Items at most; all without it and a cursor, 20 with a cursor'
  }))
}, { additionalProperties: false })

/** The query of a list that can be asked for in parts and in pages. */
export const InPages = { ...Paging, cursor: AskedCursor }

/** The answer of a list that is asked for in parts. */
export const listOf = <T extends TSchema>(item: T, options: { title: string, description: string }) => Type.Object({
  status: Type.Literal('success'), message: Type.String(), data: Type.Array(item), next_cursor: NextCursor
}, options)

/** Where a part begins, and what the next one is asked with. */
export interface Cursor {
  /** The place after which the part begins; undefined: with the first. */
  after: string | undefined
  /** The cursor for what comes after a place; null after the end. */
  next (place: string | null): string | null
}

/**
 * The cursor of a request. It belongs to one list of one account with its filters: any other is refused with
 * VALIDATION_ERROR, as is what is none. Places of lists that gave bare numbers before 0.5 may be asked for as such:
 * `isNumbered`.
 */
export function cursorOf (
  request: FastifyRequest, account: Id, { isNumbered = false }: { isNumbered?: boolean } = {}
): Cursor {
  const { cursor, page, limit: _limit, ...filter } = request.query as Record<string, unknown>
  if (cursor !== undefined && page !== undefined) {
    throw invalid({ field: 'page', message: 'page does not go with cursor. Send one of them.' })
  }
  const list = [request.routeOptions.url, request.params, account, Object.entries(filter).toSorted()]
  const digest = hash('sha256', JSON.stringify(list), 'base64url').slice(0, DIGEST)
  const sealed = (place: string) => digest + Buffer.from(place).toString('base64url')
  return { after: opened(), next: (place) => place === null ? null : sealed(place) }

  function opened (): string | undefined {
    if (typeof cursor !== 'string') return undefined
    if (isNumbered && NUMBER.test(cursor)) return cursor
    const place = Buffer.from(cursor.slice(DIGEST), 'base64url').toString()
    if (place !== '' && sealed(place) === cursor && (!isNumbered || NUMBER.test(place))) return place
    throw invalid({
      field: 'cursor',
      message: 'cursor is none of this list. Send the next_cursor of the part before, with the same filters.'
    })
  }
}

/**
 * A part of a list that is at hand, or all of it where no part is asked for. `placeOf` is what the list is in order
 * of, from item to item more, or with `isNewestFirst` less: a part begins after a place, so that items that come and go
 * between two requests move no other.
 */
export function partIfAsked<T> (
  request: FastifyRequest,
  account: Id,
  items: readonly T[],
  placeOf: (item: T) => string | number,
  { isNewestFirst = false }: { isNewestFirst?: boolean } = {}
): { data: T[], next_cursor: string | null } {
  const { cursor, limit } = request.query as { cursor?: string, limit?: number }
  if (cursor === undefined && limit === undefined) return { data: [...items], next_cursor: null }
  const { after, next } = cursorOf(request, account)
  const left = items.filter((item) => after === undefined || isAfter(placeOf(item), after))
  const data = left.slice(0, limit ?? DEFAULT_LIMIT)
  return { data, next_cursor: next(data.length < left.length ? String(placeOf(data.at(-1)!)) : null) }

  function isAfter (place: string | number, given: string): boolean {
    const [before, here] = isNewestFirst ? [place, given] : [given, place]
    return typeof place === 'number' ? Number(here) > Number(before) : here > before
  }
}
