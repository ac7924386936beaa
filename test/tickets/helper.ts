import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'

export const FROM = 'Help <help@ours.example>'
export const SUPPORT = 'support@business.example'
export const ADA = 'ada@visitor.example'

/** A mail as the mail server received it. */
export interface Got { from: string, to: string[], mail: Email, header: (name: string) => string | undefined }

/**
 * What a mail server does with the next mail: accepts it, refuses it, or cuts the connection before or after accepting
 * it.
 */
export type Mood = 'take' | 'busy' | 'refuse' | 'cut' | 'take and cut'

/** A real mail server on loopback. */
export async function mailServer (t: Test) {
  const got: Got[] = []
  const state = { mood: 'take' as Mood }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData (stream, session, callback) {
      // The sender may be killed in the middle of it.
      const bytes = await buffer(stream).catch(() => undefined)
      if (!bytes) return callback(new Error('Cut off'))
      const { mood } = state
      if (mood === 'busy') return callback(Object.assign(new Error('Try later'), { responseCode: 451 }))
      if (mood === 'refuse') return callback(Object.assign(new Error('No such mailbox'), { responseCode: 550 }))
      if (mood === 'cut') return cutLines()
      const mail = await PostalMime.parse(bytes)
      const { mailFrom, rcptTo } = session.envelope
      got.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        mail,
        header: (name) => mail.headers.find(({ key }) => key === name)?.value
      })
      if (mood === 'take and cut') return cutLines()
      callback()
    }
  })
  server.on('error', () => undefined)
  const cutLines = () => {
    for (const connection of (
      server as unknown as { connections: Set<{ close (): void, _socket: { destroy (): void } }> }
    ).connections) { connection._socket.destroy() }
  }
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => new Promise<void>((resolve) => { server.close(resolve) }))
  const { port } = server.server.address() as AddressInfo
  return {
    got,
    state,
    url: `smtp://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(resolve)
      })
  }
}

/** An app whose agent opens tickets by mail, and a conversation with Ada in it. */
export async function desk (
  t: Test,
  { behavior = {}, env = {}, agent = {} }: { behavior?: object, env?: Record<string, string>, agent?: object } = {}
) {
  const server = await mailServer(t)
  const settings = { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, ...env }
  const built = await talkative(t, settings, { behavior: { email: SUPPORT, ...behavior }, ...agent })
  const { me, id, app, stores, settled } = built
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Ada', email: ADA })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id as string
  await me.post(`/v1/conversations/${conversation}/messages`, { text: QUESTION })
  const token = stores.tickets.inbox.token()

  /** Posts a raw mail, like a mail service. */
  async function post (raw: string) {
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: `/v1/inbound/mail/${token}`,
      headers: { 'content-type': 'message/rfc822' },
      payload: raw.replaceAll('\n', '\r\n')
    })
    await settled()
    return statusCode === 200 ? (JSON.parse(body).message as string) : `${statusCode} ${body}`
  }
  async function ticket (body: object = {}) {
    const made = await me.post(`/v1/conversations/${conversation}/tickets`, body)
    t.equal(made.statusCode, 201, made.body)
    await settled()
    return made.json().data.id as string
  }
  const read = async (ticketId: string) => (await me.get(`/v1/tickets/${ticketId}`)).json().data
  return { ...built, server, got: server.got, visitor, conversation, post, ticket, read }
}

let written = 0
/** A raw mail of a person. */
export function letter ({
  from, to, text, headers = {}
}: {
  from: string, to: string, text: string, headers?: Record<string, string>
}) {
  const all = {
    From: from,
    To: to,
    Subject: 'Re: anything',
    'Message-ID': `<${++written}@elsewhere.example>`,
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers
  }
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n${text}\n`
}
