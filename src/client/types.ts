import type { paths } from '../../build/client/openapi.d.ts'

/** Every operation of the server that this client was made for, by path and method. */
export type Paths = paths
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that answer to a method. */
export type PathOf<M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [Key in M]: object } ? P : never
}[keyof Paths]
export type Operation<M extends Method, P extends keyof Paths> = Paths[P] extends { [Key in M]: infer O } ? O : never

type ParametersIn<O, Place extends string> = O extends { parameters: { [Key in Place]?: infer Values } }
  ? NonNullable<Values>
  : never
type Body<O> = O extends { requestBody: { content: infer Content } }
  ? 'application/json' extends keyof Content ? Content['application/json'] : FormData
  : O extends { requestBody?: { content: { 'application/json': infer Json } } } ? Json | undefined : never
type Fields<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : undefined extends Value
    ? { [Key in Name]?: Value }
    : Partial<Value> extends Value ? { [Key in Name]?: Value } : { [Key in Name]: Value }

/** What any request may be sent with. */
export interface RequestOptions {
  signal?: AbortSignal
  headers?: Record<string, string>
  /** The key by which a POST is known when it is sent again; one is made without it. */
  idempotencyKey?: string
}

/** What a request takes: what stands in its path, its query, its body. A form can be sent wherever a body is. */
export type RequestOf<O> = RequestOptions & Fields<'path', ParametersIn<O, 'path'>> &
  Fields<'query', ParametersIn<O, 'query'>> & Fields<'body', [Body<O>] extends [never] ? never : Body<O> | FormData>
/** The same as an argument, which is left out where nothing is asked for. */
export type Arguments<O> = object extends RequestOf<O> ? [request?: RequestOf<O>] : [request: RequestOf<O>]

type Json<Response> = Response extends { content: infer Content }
  ? 'application/json' extends keyof Content ? Content['application/json'] : never
  : never
/** The JSON that an operation answers with when it succeeds. */
export type AnswerOf<O> = O extends { responses: infer Responses }
  ? Json<Responses[keyof Responses & (200 | 201 | 202)]>
  : never
/** What is asked for: `data` of the answer. */
export type DataOf<O> = AnswerOf<O> extends { data: infer Data } ? Data : never
/** One of a list. */
export type ItemOf<O> = DataOf<O> extends ReadonlyArray<infer Item> ? Item : never
