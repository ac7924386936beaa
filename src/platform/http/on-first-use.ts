import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import { compileValidator } from './validation.ts'

/**
 * Has every schema, of requests and of answers, compiled on its first use. A service has hundreds of them, most for
 * answers that are rarely given, and compiling them all took more than half of its start.
 */
export function compileOnFirstUse (app: FastifyInstance) {
  app.setValidatorCompiler(onFirstUse(compileValidator) as never)
  app.setSerializerCompiler(onFirstUse(SerializerSelector()({}, {}) as FastifySerializerCompiler<unknown>))
}

function onFirstUse<Route, Value, Result> (
  compile: (route: Route) => (value: Value) => Result
): (route: Route) => (value: Value) => Result {
  return (route) => {
    let compiled: ((value: Value) => Result) | undefined
    return (value) => (compiled ??= compile(route))(value)
  }
}
