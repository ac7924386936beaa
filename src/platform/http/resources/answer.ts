import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Id } from '../../../../schema/common.ts'
import { Deleted, DeletedName } from '../../../../schema/envelopes.ts'
import { cursorOf, DEFAULT_LIMIT, InPartsIfAsked, listOf, partIfAsked, type Cursor } from './cursors.ts'

/** A request and its answer, as seen by the code that builds answers. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  /** The account that the request is for, if any. */
  owner: Id
  /** The cursor of a list that is read in parts. */
  cursor?: Cursor
}

/**
 * The kind of answer: `part` is passed which part of a list is requested; `raw` sends its answer itself, and so neither
 * unwraps a replay nor refuses undefined with 404.
 */
export type AnswerKind = 'whole' | 'part' | 'raw'

/** How a handler's result (`Given`) becomes an answer. */
export interface Answer<Given, Kind extends AnswerKind = 'whole'> {
  kind: Kind
  /** The responses by status: for the document and for the serialisers. */
  responses: Record<number, TSchema>
  /** The query, if determined by the kind of answer. */
  query?: TObject
  /** The body of the answer. */
  send (given: Given, exchange: Exchange): unknown
  /** The id of what was created, from the result of its transaction, if anything was. */
  madeId? (made: unknown): string | number | undefined
}

/** The sentence of an answer, which may depend on its data. */
type Sentence<Given> = string | ((given: Given) => string)

type Envelope = TObject<{ status: TSchema, message: TSchema, data: TSchema }>
type DataOf<Schema extends Envelope> = Static<Schema>['data']

const envelope = <Given>(sentence: Sentence<Given>, given: Given, data: unknown = given) => ({
  status: 'success', message: typeof sentence === 'function' ? sentence(given) : sentence, data
})

interface Showing<Schema extends Envelope, Kept> {
  /** Writes the envelope itself, if its content may be too much to be written in one go. Without `at`. */
  write?: (kept: Kept, message: string, exchange: Exchange) => Promise<Buffer | Readable>
  /** Turns the handler's result into the data shown. */
  show?: (kept: Kept, request: FastifyRequest) => DataOf<Schema> | Promise<DataOf<Schema>>
  /** The id of what was created, from the result of its transaction, if it is not its `id`. */
  madeId?: (made: any) => string | number
  /** The address of what was created; by default its id below the address of the POST. */
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
        if (status === 201) reply.header('location', below(request, { id: madeId(kept) }))
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
/** 202 with work in progress. */
export const accepted = thing(202)

/** The address of a route with the request's parameters filled in, without its query. */
export function pathOf ({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => String((params as Record<string, unknown>)[name]))
}

/** The address of what was created, below the address of the POST. */
const below = (request: FastifyRequest, { id }: { id: string | number }) => `${pathOf(request)}/${id}`

/** 200 with the id of what was removed, the last in the path. The handler says whether it existed. */
const removedAs = (schema: TSchema) => (sentence: string): Answer<boolean> => ({
  kind: 'whole',
  responses: { 200: schema },
  send: (_given, { request }) => envelope(sentence, { id: Object.values(request.params as object).at(-1) })
})

export const removed = removedAs(Deleted)
/** The same for ids that are texts. */
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

/** A list that is in memory, and whole unless requested in parts; see `partIfAsked`. */
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

/** A list that its store reads in parts, newest first, each with the items after a place; see `PartAsked`. */
export const listInParts = <Item extends TSchema>(
  item: Item, options: ListOptions, sentence: string
): Answer<{ items: ReadonlyArray<Static<Item>>, next: string | null }, 'part'> => ({
    kind: 'part',
    responses: { 200: listOf(item, options) },
    send: ({ items, next }, { cursor }) => ({
      ...envelope(sentence, items, items), next_cursor: cursor!.next(next)
    })
  })

/** Which part of a list is requested. */
export interface PartAsked<Query> {
  /** The query without the parameters that select the part. */
  filter: Omit<Query, 'cursor' | 'limit'>
  after: string | undefined
  limit: number
}

/** Reads from a request which part is requested. */
export function partAsked ({ request, owner }: Exchange): { part: PartAsked<unknown>, cursor: Cursor } {
  const { cursor: _cursor, limit = DEFAULT_LIMIT, ...filter } = request.query as { cursor?: string, limit?: number }
  const cursor = cursorOf(request, owner, { isNumbered: true })
  return { cursor, part: { filter, after: cursor.after, limit } }
}

/** Answers that the handler sends itself: streams, files, and formats of others. */
export const raw = (responses: Record<number, TSchema>): Answer<unknown, 'raw'> => ({
  kind: 'raw', responses, send: (given) => given
})

/** A stream of events, for the document. */
export const Streamed = Type.String({ description: 'Events as they happen' })
