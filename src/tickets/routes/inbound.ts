import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { openRoute } from '../../access/index.ts'
import { Refusal, nothingHere } from '../../platform/errors.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import type { Taken } from '../desk.ts'
import type { ProviderUpdate } from '../providers/base/contract.ts'
import type { OpenProvider } from '../store.ts'

/** Incoming requests without a key, each at an unguessable address. */
export interface Inbox {
  /** The token in the address that mail services post to. */
  token (): string
  /** Reads and takes in a mail. Refuses with `unavailable` if that has to be retried. */
  mail (bytes: Buffer, commits?: () => void): Promise<Taken>
  providerOf (token: string): Promise<OpenProvider | undefined>
  parse (
    provider: OpenProvider, request: { headers: IncomingMessage['headers'], body: Buffer, url: string }
  ): ProviderUpdate | 'refused' | null
  update (provider: OpenProvider, update: ProviderUpdate): Promise<boolean>
}

/** Bytes of one mail, and of one webhook. */
export const LARGEST_MAIL = 25 * 2 ** 20
const LARGEST_UPDATE = 2 ** 20
const Outcome = Type.Object(
  { status: Type.Literal('success'), message: Type.String() },
  { description: 'It was received; `message` says what was done with it' }
)

const tag = 'Tickets'
const params = Type.Object({ token: Type.String({ maxLength: 64 }) })

/** Mail and webhooks of ticketing providers, as they come: raw bytes of any type. */
export const inboundRoutes: FastifyPluginAsync<{ inbox: Inbox, baseUrl: () => string }> = async (
  app, { inbox, baseUrl }
) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    async (request: { receive (payload: IncomingMessage): Promise<Buffer> }, payload: IncomingMessage) =>
      await request.receive(payload)
  )

  app.route(openRoute({
    post: '/inbound/mail/:token',
    id: 'receiveMail',
    tag,
    summary: 'Receive a mail',
    description:
      'A mail service posts unmodified mails here, with all headers (`message/rfc822`, at most 25 MiB). `agenthall mail` shows the URL, whose token is the secret. `message` says what was done with the mail; never send it again.',
    who: 'anyone',
    params,
    limits: {
      bodyLimit: LARGEST_MAIL, insteadOfLarge: 'A mail may have 25 MiB.', receiveMs: 60_000, answerMs: 30_000
    },
    fastify: {
      // Before a byte of the body is read.
      onRequest: async ({ params }) => {
        const [theirs, right] = [Buffer.from((params as { token: string }).token), Buffer.from(inbox.token())]
        if (theirs.length !== right.length || !timingSafeEqual(theirs, right)) throw nothingHere()
      }
    },
    answer: raw({ 200: Outcome }),
    handle: async ({ body, request }) => {
      const message = await inbox.mail(bytesOf(body), () => request.commits())
      request.log.info({ outcome: message }, 'a mail came in')
      // Whatever the outcome: dropped mail must not be delivered again.
      return { status: 'success', message }
    }
  }))

  app.route(openRoute({
    post: '/inbound/tickets/:token',
    id: 'receiveTicketUpdate',
    tag,
    summary: 'Receive an update from a ticketing provider',
    description:
      'A ticketing provider posts changes to its tickets here, in its own format. The path is given in `inbound_path` of the provider; if the provider signs its requests, the signature is checked.',
    who: 'anyone',
    params,
    limits: { bodyLimit: LARGEST_UPDATE },
    answer: raw({ 200: Outcome }),
    refuses: [['authentication_required', 'The signature is wrong.']],
    handle: async ({ params: { token }, body, request: { headers, url } }) => {
      const provider = await inbox.providerOf(token)
      if (!provider) throw nothingHere()
      const update = inbox.parse(provider, { headers, body: bytesOf(body), url: baseUrl() + url })
      if (update === 'refused') {
        throw new Refusal(
          'authentication_required',
          'The signature is wrong. Check credentials.signing_secret of the ticketing provider.'
        )
      }
      const message = update && (await inbox.update(provider, update)) ? 'taken' : 'nothing to do'
      return { status: 'success', message }
    }
  }))
}

const bytesOf = (body: unknown): Buffer => Buffer.isBuffer(body) ? body : Buffer.alloc(0)
