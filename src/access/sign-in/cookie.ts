import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serverOrigin } from './same-origin.ts'

const NAME = 'agenthall'
/** Only the host itself can set a cookie with this prefix, and only over https. */
const SECURE_NAME = `__Host-${NAME}`

/** The token of a session in the cookie of a request; undefined without one. */
export function tokenIn (request: FastifyRequest, baseUrl: string): string | undefined {
  return request.cookies[nameOf(isSecure(request, baseUrl))]
}

/** The same, under either name, where the session is known already. */
export function anyTokenIn ({ cookies }: FastifyRequest): string | undefined {
  return cookies[SECURE_NAME] ?? cookies[NAME]
}

/** Sets the session cookie, until a time in microseconds since 1970. */
export function setToken (reply: FastifyReply, baseUrl: string, token: string, expires: number) {
  const secure = isSecure(reply.request, baseUrl)
  reply.setCookie(nameOf(secure), token, {
    path: '/', httpOnly: true, sameSite: 'lax', secure, expires: new Date(expires / 1000)
  })
}

/** Clears the session cookie. */
export function clearToken (reply: FastifyReply, baseUrl: string) {
  const secure = isSecure(reply.request, baseUrl)
  reply.clearCookie(nameOf(secure), { path: '/', httpOnly: true, sameSite: 'lax', secure })
}

function isSecure (request: FastifyRequest, baseUrl: string): boolean {
  return serverOrigin(request, baseUrl).startsWith('https:')
}

const nameOf = (secure: boolean) => secure ? SECURE_NAME : NAME
