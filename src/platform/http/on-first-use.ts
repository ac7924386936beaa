import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import { compileValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Compiles ahead, one at each step, the schemas of requests to some addresses and of what they succeed with. */
    compileAhead (isWanted: (url: string) => boolean): Generator<void>
    /** Has `then` called once, with the first schema of some addresses that somebody needed and nobody made ahead. */
    onFirstUse (isWanted: (url: string) => boolean, then: () => void): void
  }
}

/** What both compilers are told of a schema. */
interface About { url: string, httpStatus?: string }

/** Makes something on first use. `explain`: and what it takes to say what is wrong, where there is such. */
interface Ahead extends About { compile (): { explain?: () => void } }

/**
 * Has every schema, of requests and of answers, compiled on its first use. A service has hundreds of them, most for
 * answers that are rarely given, and compiling them all took more than half of its start.
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
  app.setSerializerCompiler(onFirstUse(serializers as never, ahead, used) as never)
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
