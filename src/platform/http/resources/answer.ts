import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Id } from '../../../../schema/common.ts'
import { Deleted, DeletedName } from '../../../../schema/envelopes.ts'
import { cursorOf, DEFAULT_LIMIT, InPartsIfAsked, listOf, partIfAsked, type Cursor } from './cursors.ts'

/** A request and its answer, as those who put answers together see them. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  /** The account that is asked for, where there is one. */
  owner: Id
  /** The cursor of a list that is read in parts. */
  cursor?: Cursor
}

/**
 * What kind of answer it is: `part` is told which part of a list is asked for; `own` sends itself what it answers, and
 * so neither unwraps a replay nor refuses with 404 what is undefined.
 */
export type AnswerKind = 'whole' | 'part' | 'own'

/** How what a handler returns (`Given`) becomes an answer. */
export interface Answer<Given, Kind extends AnswerKind = 'whole'> {
  kind: Kind
  /** What is answered, by status: for the document and for what serialises it. */
  responses: Record<number, TSchema>
  /** The query, where the kind of answer settles it. */
  query?: TObject
  /** The body of the answer. */
  send (given: Given, exchange: Exchange): unknown
  /** The id of what was made, by what its transaction gives, where something was. */
  madeId? (made: unknown): string | number | undefined
}

/** The sentence of an answer, which may depend on what is answered. */
type Sentence<Given> = string | ((given: Given) => string)

type Envelope = TObject<{ status: TSchema, message: TSchema, data: TSchema }>
type DataOf<Schema extends Envelope> = Static<Schema>['data']

const envelope = <Given>(sentence: Sentence<Given>, given: Given, data: unknown = given) => ({
  status: 'success', message: typeof sentence === 'function' ? sentence(given) : sentence, data
})

interface Showing<Schema extends Envelope, Kept> {
  /** Writes the envelope itself, where what is in it may be too much to be written at one stretch. */
  write?: (kept: Kept, message: string, exchange: Exchange) => Promise<Buffer | Readable>
  /** What is shown of what the handler returns. */
  show?: (kept: Kept, request: FastifyRequest) => DataOf<Schema> | Promise<DataOf<Schema>>
  /** The id of what was made, by what its transaction gives, where it is not `id` of that. */
  madeId?: (made: any) => string | number
  /** The address of what was made; without it by its id, below the one that was posted to. */
  at?: (made: DataOf<Schema>, params: Record<string, unknown>) => string
}

/** An answer with one thing; `schema` is the envelope with it. */
const thing = (status: 200 | 201 | 202) => <Schema extends Envelope, Kept = DataOf<Schema>>(
  schema: Schema,
  sentence: Sentence<DataOf<Schema>>,
  { show = (kept) => kept as DataOf<Schema>, write, at, madeId = ({ id }) => id }:
  Showing<Schema, Kept> = {}
): Answer<Kept> => ({
    kind: 'whole',
    responses: { [status]: schema },
    ...(status === 201 && { madeId }),
    async send (kept, exchange) {
      const { request, reply } = exchange
      if (write) {
        const message = typeof sentence === 'function' ? sentence(kept as DataOf<Schema>) : sentence
        reply.code(status).type('application/json; charset=utf-8')
        return await write(kept, message, exchange)
      }
      const data = await show(kept, request)
      const params = request.params as Record<string, unknown>
      if (status === 201) reply.header('location', at?.(data, params) ?? below(request, data as { id: string | number }))
      reply.code(status)
      return envelope(sentence, data)
    }
  })

/** 200 with a thing. */
export const ok = thing(200)
/** 201 with what was made, and with its address. */
export const created = thing(201)
/** 202 with what is under way. */
export const accepted = thing(202)

/** The address of a route with what the request names in it, without its query. */
export function pathOf ({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => String((params as Record<string, unknown>)[name]))
}

/** The address of what was made below the one that was posted to. */
const below = (request: FastifyRequest, { id }: { id: string | number }) => `${pathOf(request)}/${id}`

/** 200 with the id of what is gone, the last in the path. The handler says whether it was there. */
const removedAs = (schema: TSchema) => (sentence: string): Answer<boolean> => ({
  kind: 'whole',
  responses: { 200: schema },
  send: (_given, { request }) => envelope(sentence, { id: Object.values(request.params as object).at(-1) })
})

export const removed = removedAs(Deleted)
/** The same where ids are texts. */
export const removedName = removedAs(DeletedName)

/** 200 with an envelope that has more in it than one thing. */
export const whole = <Schema extends TObject>(
  schema: Schema, sentence: Sentence<Omit<Static<Schema>, 'status' | 'message'>>
): Answer<Omit<Static<Schema>, 'status' | 'message'>> => ({
    kind: 'whole',
    responses: { 200: schema },
    send (given) {
      const { status, message } = envelope(sentence, given)
      return { status, message, ...given }
    }
  })

interface ListOptions { title: string, description: string }

/** A list that is at hand, and whole unless it is asked for in parts; see `partIfAsked`. */
export const list = <Item extends TSchema>(
  item: Item,
  { placeOf, ...options }: ListOptions & { placeOf: (item: Static<Item>) => string | number },
  sentence: string
): Answer<ReadonlyArray<Static<Item>>> => ({
    kind: 'whole',
    responses: { 200: listOf(item, options) },
    query: InPartsIfAsked,
    send (items, { request, owner }) {
      return { ...envelope(sentence, items), ...partIfAsked(request, owner, items, placeOf) }
    }
  })

/** A list that its store reads in parts, newest first, each of the items after a place; see `PartAsked`. */
export const listInParts = <Item extends TSchema>(
  item: Item, options: ListOptions, sentence: string
): Answer<{ items: ReadonlyArray<Static<Item>>, next: string | null }, 'part'> => ({
    kind: 'part',
    responses: { 200: listOf(item, options) },
    send: ({ items, next }, { cursor }) => ({
      ...envelope(sentence, items, items), next_cursor: cursor!.next(next)
    })
  })

/** Which part of a list is asked for. */
export interface PartAsked<Query> {
  /** The query without what says which part. */
  filter: Omit<Query, 'cursor' | 'limit'>
  after: string | undefined
  limit: number
}

/** Reads from a request which part is asked for. */
export function partAsked ({ request, owner }: Exchange): { part: PartAsked<unknown>, cursor: Cursor } {
  const { cursor: _cursor, limit = DEFAULT_LIMIT, ...filter } = request.query as { cursor?: string, limit?: number }
  const cursor = cursorOf(request, owner, { isNumbered: true })
  return { cursor, part: { filter, after: cursor.after, limit } }
}

/** What the handler sends itself: streams, files, and shapes of others. */
export const own = (responses: Record<number, TSchema>): Answer<unknown, 'own'> => ({
  kind: 'own', responses, send: (given) => given
})

/** A stream of events, in the document. */
export const Streamed = Type.String({ description: 'The events as they happen' })
