import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import { compileValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Compiles in advance, one per step, the schemas of requests to some addresses and of their success responses. */
    compileAhead (isWanted: (url: string) => boolean): Generator<void>
    /** Calls `then` once, at the first use of a schema of some addresses that was not compiled in advance. */
    onFirstUse (isWanted: (url: string) => boolean, then: () => void): void
  }
}

/** What both compilers are passed about a schema. */
interface About { url: string, httpStatus?: string }

/** Compiles on first use. `explain`: also compiles what describes errors, where there is such. */
interface Ahead extends About { compile (): { explain?: () => void } }

/**
 * Compiles every schema, of requests and of answers, on its first use. A service has hundreds of them, most for rarely
 * given answers, and compiling them all took more than half of its start.
 */
export function compileOnFirstUse (app: FastifyInstance) {
  const ahead: Ahead[] = []
  let onUse: { isWanted: (url: string) => boolean, then: () => void } | undefined
  const used = (url: string) => {
    if (!onUse?.isWanted(url)) return
    const { then } = onUse
    onUse = undefined
    then()
  }
  app.setValidatorCompiler(onFirstUse(compileValidator as never, ahead, used) as never)
  const serializers = SerializerSelector()({}, {}) as FastifySerializerCompiler<unknown>
  const serializersOf = (route: { schema: unknown }) =>
    serializers({ ...route, schema: withoutGuesses(route.schema) } as never)
  app.setSerializerCompiler(onFirstUse(serializersOf as never, ahead, used) as never)
  app.decorate('compileAhead', function * (isWanted) {
    for (const { url, httpStatus, compile } of ahead) {
      if (!isWanted(url) || (httpStatus !== undefined && !httpStatus.startsWith('2'))) continue
      const { explain } = compile()
      yield
      if (!explain) continue
      explain()
      yield
    }
  })
  app.decorate('onFirstUse', (isWanted, then) => { onUse = { isWanted, then } })
}

/**
 * An answer's schema in which nullable fields have one schema. Of two schemas the serialiser would find out which one a
 * value has by a validator that is made with the first value: 60 ms for one field of an agent's sources.
 */
export function withoutGuesses (schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutGuesses)
  if (typeof schema !== 'object' || schema === null) return schema
  const of = Object.entries(schema).map(([name, one]) => [name, withoutGuesses(one)])
  const { anyOf, ...rest } = Object.fromEntries(of)
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf }
  const [one, none, ...more] = anyOf
  const isPlain = typeof one?.type === 'string' && one.type !== 'null' && none?.type === 'null' && more.length === 0
  return isPlain ? { ...rest, ...one, nullable: true } : { ...rest, anyOf }
}

function onFirstUse<Value, Result> (
  compile: (route: About) => ((value: Value) => Result) & { explain?: () => void }, ahead: Ahead[],
  used: (url: string) => void
): (route: About) => (value: Value) => Result {
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined
    const compiledOnce = () => (compiled ??= compile(route))
    ahead.push({ url: route.url, ...(route.httpStatus && { httpStatus: route.httpStatus }), compile: compiledOnce })
    return (value) => {
      if (!compiled) used(route.url)
      return compiledOnce()(value)
    }
  }
}
