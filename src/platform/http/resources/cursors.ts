import { hash } from 'node:crypto'
import { Type, type TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Id } from '../../../../schema/common.ts'
import { Paging } from '../../../../schema/envelopes.ts'
import { invalid } from '../../errors.ts'

/** Default number of items of a list that is requested in parts. */
export const DEFAULT_LIMIT = 20
/** Characters of the digest that a cursor begins with. */
const DIGEST = 8
const NUMBER = /^\d{1,16}$/

/** What comes after the items of a part. */
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Pass it as `cursor`, with the same filters, to get the next part; null at the end of the list'
})

const AskedCursor = Type.Optional(Type.String({
  minLength: 1, maxLength: 200, pattern: '^[\\w-]+$', description: 'next_cursor of the part before'
}))

/** The query of a list that can be requested in parts; `what`: its items, as the start of a sentence. */
export const inParts = (what: string) => ({
  cursor: AskedCursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: `${what} at most; default: 20` }))
})

/** The query of a list that is whole unless requested in parts. */
export const InPartsIfAsked = Type.Object({
  cursor: AskedCursor,
  limit: Type.Optional(Type.Integer({
    minimum: 1, maximum: 100, description: 'Items at most. Default: all, or 20 with a cursor'
  }))
}, { additionalProperties: false })

/** The query of a list that can be requested in parts and in pages. */
export const InPages = { ...Paging, cursor: AskedCursor }

/** The answer of a list that is requested in parts. */
export const listOf = <T extends TSchema>(item: T, options: { title: string, description: string }) => Type.Object({
  status: Type.Literal('success'), message: Type.String(), data: Type.Array(item), next_cursor: NextCursor
}, options)

/** Where a part begins, and how to request the next one. */
export interface Cursor {
  /** The place after which the part begins; undefined: from the first. */
  after: string | undefined
  /** The cursor for what comes after a place; null after the end. */
  next (place: string | null): string | null
}

/**
 * The cursor of a request. It belongs to one list of one account with its filters: any other, or an invalid one, is
 * refused with VALIDATION_ERROR. Lists whose cursors were plain numbers before 0.5 still accept those: `isNumbered`.
 */
export function cursorOf (
  request: FastifyRequest, account: Id, { isNumbered = false }: { isNumbered?: boolean } = {}
): Cursor {
  const { cursor, page, limit: _limit, ...filter } = request.query as Record<string, unknown>
  if (cursor !== undefined && page !== undefined) {
    throw invalid({ field: 'page', message: 'page and cursor exclude each other. Send one of them.' })
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
      message: 'cursor is not from this list. Send the next_cursor of the part before, with the same filters.'
    })
  }
}

/**
 * A part of a list that is in memory, or all of it if no part is requested. `placeOf` is the sort key of the list,
 * ascending, or with `isNewestFirst` descending: a part begins after a place, so that items that come and go between
 * two requests shift no others.
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
