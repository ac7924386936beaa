import { setTimeout as pause } from 'node:timers/promises'
import { createHmac } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { talkative } from '../conversations/helper.ts'

export const SHOP = 'https://shop.example'

/** A client like a page of a site: it sends its origin, and the token of its visitor. */
export type Page = Record<
  'get' | 'post' | 'put' | 'patch' | 'options' | 'delete',
  (url: string, body?: unknown, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
> & { token: string | undefined }

/** The production app with an agent that knows about returns, and a widget key for the pages of SHOP. */
export async function site (
  t: Test, env: Record<string, string> = {}, agent: object = {}, options: Parameters<typeof talkative>[3] = {}
) {
  const built = await talkative(t, env, agent, options)
  const { me, id, app } = built
  const made = await me.post(`/v1/agents/${id}/widget_keys`, { name: 'Shop', origins: [SHOP] })
  t.equal(made.statusCode, 201, made.body)
  const key = made.json().data.id as string

  function page ({
    origin = SHOP, token, ip = '203.0.113.1'
  }: { origin?: string | undefined, token?: string, ip?: string } = {}): Page {
    const send =
      (method: InjectOptions['method']) =>
        async (url: string, body?: unknown, headers: Record<string, string> = {}) => {
          await new Promise(setImmediate)
          return await app.inject({
            method: method!,
            url,
            remoteAddress: ip,
            headers: { ...(origin && { origin }), ...(token && { authorization: `Bearer ${token}` }), ...headers },
            ...(body !== undefined && { payload: body as object })
          })
        }
    return {
      token,
      get: send('GET'),
      post: send('POST'),
      put: send('PUT'),
      patch: send('PATCH'),
      options: send('OPTIONS'),
      delete: send('DELETE')
    }
  }

  /** A page whose visitor has a session; `before`: one to continue from. */
  async function visit ({
    identity, visitor, before, ...at
  }: { identity?: string, visitor?: string, before?: string, origin?: string, ip?: string } = {}) {
    const answer = await page({ ...at, ...(before && { token: before }) }).post('/v1/widget/session', {
      key, ...(identity && { identity }), ...(visitor && { visitor })
    })
    t.equal(answer.statusCode, 201, answer.body)
    const session = answer.json().data as {
      token: string
      expires_at: string
      conversation: string | null
      visitor: { id: string, verified: boolean, reachable: boolean, consented: boolean }
    }
    return { ...page({ ...at, token: session.token }), session }
  }

  /** A conversation that a page has begun, and how to send a message in it, or to be answered. */
  async function begin (visitor: Page) {
    const begun = await visitor.post('/v1/widget/conversations', {})
    t.equal(begun.statusCode, 201, begun.body)
    const conversation = begun.json().data.id as string
    const at = `/v1/widget/conversations/${conversation}`
    const say = async (text: string, more = {}) => await visitor.post(`${at}/messages`, { text, ...more })
    return { conversation, at, say, ask }

    /** Sends a message and waits for the whole answer, which a page reads from its stream. */
    async function ask (text: string): Promise<string> {
      t.equal((await say(text)).statusCode, 201)
      for (;;) {
        const { role, status, text: answer } = (await visitor.get(`${at}/messages`)).json().data.at(-1)
        if (role === 'agent' && status !== 'generating') return answer
        // How often a visitor may read in a minute is limited.
        await pause(20)
      }
    }
  }

  return { ...built, key, page, visit, begin }
}

/** A JWT as the business's server signs it. */
export function signed (claims: object, secret: string, head: object = { alg: 'HS256', typ: 'JWT' }): string {
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
