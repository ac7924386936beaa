import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import { compileValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Compiles ahead, one at each step, the schemas of requests to some addresses and of what they succeed with. */
    compileAhead (isWanted: (url: string) => boolean): Generator<void>
  }
}

/** What both compilers are told of a schema. */
interface About { url: string, httpStatus?: string }

/**
 * Has every schema, of requests and of answers, compiled on its first use. A service has hundreds of them, most for
 * answers that are rarely given, and compiling them all took more than half of its start.
 */
export function compileOnFirstUse (app: FastifyInstance) {
  const ahead: Array<About & { compile: () => void }> = []
  app.setValidatorCompiler(onFirstUse(compileValidator as never, ahead) as never)
  const serializers = SerializerSelector()({}, {}) as FastifySerializerCompiler<unknown>
  app.setSerializerCompiler(onFirstUse(serializers as never, ahead) as never)
  app.decorate('compileAhead', function * (isWanted) {
    for (const { url, httpStatus, compile } of ahead) {
      if (!isWanted(url) || (httpStatus !== undefined && !httpStatus.startsWith('2'))) continue
      compile()
      yield
    }
  })
}

function onFirstUse<Value, Result> (
  compile: (route: About) => (value: Value) => Result, ahead: Array<About & { compile: () => void }>
): (route: About) => (value: Value) => Result {
  return (route) => {
    let compiled: ((value: Value) => Result) | undefined
    const compiledOnce = () => (compiled ??= compile(route))
    ahead.push({ url: route.url, ...(route.httpStatus && { httpStatus: route.httpStatus }), compile: compiledOnce })
    return (value) => compiledOnce()(value)
  }
}
