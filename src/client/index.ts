import { patched } from '../../build/client/document.js'
import { ApiError } from './errors.ts'
import { Asking, type AskOptions } from './ask.ts'
import { openTransport, type Sent, type Transport, type TransportOptions } from './transport.ts'
import type {
  AnswerOf, Arguments, DataOf, ItemOf, Method, Operation, PathOf, Paths, RequestOf, RequestOptions
} from './types.ts'

export { ApiError, type FieldError } from './errors.ts'
export { Asking, type Answer, type AskOptions } from './ask.ts'
export { signVisitor, verifyWebhook, WebhookError, type SignedVisitor, type WebhookEvent } from './signatures.ts'
export type { components } from '../../build/client/openapi.d.ts'
export type { AnswerOf, DataOf, Operation, Paths, RequestOf, TransportOptions }

/** The server's version that this client was made for, and the SHA-256 of its `openapi.json`. */
export { openapiHash, version } from '../../build/client/document.js'

/** How often a change is retried after somebody else's. */
const CHANGES = 5

type Values = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>
type AnyRequest = RequestOptions & { path?: Values, query?: Values, body?: unknown }

/** A client of one server, with one key. Methods throw `ApiError` for unsuccessful responses. */
export class Agenthall {
  readonly #transport: Transport

  constructor (options: TransportOptions) {
    this.#transport = openTransport(options)
  }

  get<P extends PathOf<'get'>> (
    path: P, ...request: Arguments<Operation<'get', P>>
  ): Promise<AnswerOf<Operation<'get', P>>> {
    return this.#json('get', path, request[0])
  }

  post<P extends PathOf<'post'>> (
    path: P, ...request: Arguments<Operation<'post', P>>
  ): Promise<AnswerOf<Operation<'post', P>>> {
    return this.#json('post', path, request[0])
  }

  put<P extends PathOf<'put'>> (
    path: P, ...request: Arguments<Operation<'put', P>>
  ): Promise<AnswerOf<Operation<'put', P>>> {
    return this.#json('put', path, request[0])
  }

  patch<P extends PathOf<'patch'>> (
    path: P, ...request: Arguments<Operation<'patch', P>>
  ): Promise<AnswerOf<Operation<'patch', P>>> {
    return this.#json('patch', path, request[0])
  }

  delete<P extends PathOf<'delete'>> (
    path: P, ...request: Arguments<Operation<'delete', P>>
  ): Promise<AnswerOf<Operation<'delete', P>>> {
    return this.#json('delete', path, request[0])
  }

  /** The raw response, for files, streams and headers. */
  async raw (method: Method, path: string, request: AnyRequest = {}): Promise<Response> {
    return await this.#transport(sent(method, path, request), (response) => response)
  }

  /** All items of a list, read in pages of 100 unless `limit` says otherwise. */
  async * paginate<P extends PathOf<'get'>> (
    path: P, ...[request]: Arguments<Operation<'get', P>>
  ): AsyncGenerator<ItemOf<Operation<'get', P>>> {
    const asked = (request ?? {}) as AnyRequest
    let cursor: string | undefined
    do {
      const { data, next_cursor: next } = await this.#json(
        'get', path, { ...asked, query: { limit: 100, ...asked.query, ...(cursor && { cursor }) } }
      ) as { data: ItemOf<Operation<'get', P>>[], next_cursor?: string | null }
      yield * data
      cursor = next ?? undefined
    } while (cursor !== undefined)
  }

  /**
   * Reads an object, passes it to a function, and writes the change; retries if somebody else changed it meanwhile, so
   * that no change is lost. `change` returns what is to be changed, or undefined to leave it.
   */
  async update<P extends PathOf<'get'> & (PathOf<'put'> | PathOf<'patch'>)> (
    path: P,
    request: Pick<RequestOf<Operation<'get', P>>, keyof RequestOf<Operation<'get', P>> & ('path' | 'signal')>,
    change: (current: DataOf<Operation<'get', P>>) => Changes<P> | undefined | Promise<Changes<P> | undefined>
  ): Promise<DataOf<Operation<'get', P>>> {
    for (let tried = 1; ; tried++) {
      const { data, tag } = await this.#transport(sent('get', path, request as AnyRequest), async (response) => ({
        data: (await response.json() as { data: DataOf<Operation<'get', P>> }).data, tag: response.headers.get('etag')
      }))
      const body = await change(data)
      if (body === undefined) return data
      const method = PATCHED.has(path) ? 'patch' : 'put'
      try {
        const { data } = await this.#json<{ data: DataOf<Operation<'get', P>> }>(method, path, {
          ...request as AnyRequest, body, headers: { 'if-match': tag ?? '*' }
        })
        return data
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412 || tried === CHANGES) throw error
      }
    }
  }

  /** Operations on one agent. */
  agent (id: number) {
    return {
      /** Asks the agent: await the answer, or iterate over its text as it is written. */
      ask: (text: string, options: AskOptions = {}) => new Asking(this.#transport, id, text, options),
      /** Makes the agent learn a file. */
      addFile: async (
        file: Blob, { name, folder, signal }: { name: string, folder?: number, signal?: AbortSignal }
      ) => {
        const body = new FormData()
        if (folder !== undefined) body.append('folder', String(folder))
        body.append('file', file, name)
        return await this.post('/v1/agents/{id}/knowledge_sources', {
          path: { id }, body, ...(signal && { signal })
        } as RequestOf<Operation<'post', '/v1/agents/{id}/knowledge_sources'>>)
      }
    }
  }

  #json<Answer> (method: Method, path: string, request: unknown = {}): Promise<Answer> {
    const asked = sent(method, path, request as AnyRequest)
    return this.#transport(asked, async (response) => await response.json() as Answer)
  }
}

/** The body of a change at a path. */
type Changes<P extends keyof Paths> = NonNullable<
  RequestOf<P extends PathOf<'patch'> ? Operation<'patch', P> : Operation<'put', P>> extends { body?: infer Body }
    ? Exclude<Body, FormData>
    : never
>

/** Paths where changes are sent by PATCH; elsewhere by PUT. */
const PATCHED = new Set<string>(patched)

function sent (method: Method, path: string, { path: values = {}, query = {}, body, ...rest }: AnyRequest): Sent {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const one of [value].flat()) search.append(name, String(one))
  }
  const text = search.toString()
  return {
    method: method.toUpperCase(), path: filled + (text && `?${text}`), ...(body !== undefined && { body }), ...rest
  }
}
