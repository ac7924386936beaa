import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** Levels that the log can be set to; each includes those before it. */
export const LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export type Level = typeof LEVELS[number]

/** Where log lines go. */
export interface LogStream { write (line: string): void }

/** Secrets that must never appear in a log: their pattern, and what replaces them. */
export interface Secret { looks: RegExp, shown: string }

/** Anything after the name of an authentication scheme that HTTP knows. */
const CREDENTIALS: Secret = { looks: /\b(Bearer|Basic)\s+[^\s"\\]+/gi, shown: '$1 [hidden]' }

/**
 * Options for pino: JSON lines with a readable time. Our code logs no key, body or prompt; reducing errors and
 * searching every line for `secrets` is the second line of defence.
 */
export function logOptions (
  level: Level, { stream, secrets = [] }: { stream: LogStream, secrets?: Secret[] }
) {
  return {
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: shownError },
    hooks: { streamWrite: (line: string) => withoutSecrets(line, secrets) },
    stream
  }
}

/** The text without anything that matches one of these, or looks like credentials. */
export function withoutSecrets (text: string, secrets: Secret[]): string {
  return [...secrets, CREDENTIALS].reduce((rest, { looks, shown }) => rest.replace(looks, shown), text)
}

interface ShownError {
  type: string, message: string, stack: string, code?: string | number, cause?: ShownError, [key: string]: unknown
}

/**
 * Reduces an error to what it is and where it happened. Its other fields, and the values that a database error quotes,
 * may contain what a customer wrote.
 */
export function shownError (error: unknown): ShownError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'thrown without being an error', stack: '' }
  const { name, code, cause } = error as Error & { code?: unknown }
  const where = error.stack
    ?.split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())
    .join('\n')
  return {
    type: name,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: error.message.split('\nparams: ')[0]!.slice(0, 500),
    stack: where ?? '',
    ...(cause !== undefined && { cause: shownError(cause) })
  }
}

/**
 * At level debug, logs a line for each request: the route, its result, how long it took, and what `about` says about
 * the caller; never the address as sent.
 */
export const requestLines = fp<{ about: (request: FastifyRequest) => object }>(async (app, { about }) => {
  if (!['debug', 'trace'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 1000) / 1000,
      ...about(request)
    }, 'answered')
    done()
  })
}, { name: 'request-lines' })
