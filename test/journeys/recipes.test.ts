import '../bare-children.ts'
import { Type } from '@sinclair/typebox'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t from 'tap'
import { defineProvider, setting, TOKEN } from '../../src/tickets/providers/base/definition.ts'
import { LOCALES } from '../../src/locales/list.ts'
import { FORMATS, formatOfName, formatOfType } from '../../src/reading/formats.ts'
import { PROVIDERS } from '../../src/tickets/providers/list.ts'

/*
 * The recipes of CONTRIBUTING.md, followed with invented examples: adding them to a list here, before the program is
 * loaded, is all that is needed. So this file runs in its own process.
 */

PROVIDERS.push(defineProvider({
  name: 'shelf',
  called: 'Shelf',
  url: 'https://api.shelf.example',
  settings: Type.Object({
    board: setting({
      description: 'number of the board',
      examples: ['7'],
      form: { like: /^\d+$/, must: 'be the number of a board' },
      label: { en: 'Board', de: 'Brett', es: 'Tablero', fr: 'Tableau', pt: 'Quadro' }
    })
  }),
  credentials: Type.Object({ token: TOKEN }),
  open: ({ connect, settings: { board }, credentials: { token } }) => ({
    async create ({ ticket }, key, signal) {
      const api = connect({ authorization: `Shelf ${token}` })
      const { id } = await api.ask<{ id: string }>('POST', `/${board}`, signal, { key, about: ticket.subject })
      return { externalId: id, externalUrl: null }
    },
    find: async () => undefined,
    comment: async () => {},
    hasComment: async () => false,
    parseWebhook: () => null
  })
}))

const shouted = <Part extends object>(part: Part): Part => JSON.parse(JSON.stringify(part), (_name, value) => (
  typeof value === 'string' ? value.replace(/\{+\w+\}+|[a-z]/g, (one) => (one.length > 1 ? one : one.toUpperCase())) : value
))
LOCALES['xx'] = shouted(LOCALES.en)

Object.assign(FORMATS, {
  shelf: {
    types: ['application/x-shelf'],
    endings: ['shelf'],
    isBegun: (head: string) => head.startsWith('SHELF1'),
    read: ({ bytes }: { bytes: Uint8Array }) => ({
      format: 'shelf',
      title: null,
      pages: null,
      rows: null,
      hidden: 0,
      blocks: [{ text: Buffer.from(bytes).toString().slice('SHELF1 '.length), heading: null, page: null, row: null }]
    })
  }
})

const { talkative } = await import('../conversations/helper.ts')
const { openapiText } = await import('../../src/platform/http/openapi.ts')

t.test('a ticketing provider that is a definition in the list is validated, documented, asked for and used', async (t) => {
  const asked: string[] = []
  const shelf = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    reply.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"card-1"}')
  })
  await new Promise<void>((resolve) => { shelf.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { shelf.close() })
  const host = `127.0.0.1:${(shelf.address() as AddressInfo).port}`
  const { me, id, app, settled } = await talkative(
    t, { AGENTHALL_ALLOWED_HOSTS: host }, { behavior: { ticketType: 'thirdparty' } }
  )

  const add = async (settings: object, credentials: object) =>
    await me.post('/v1/ticketing_providers', { name: 'Ours', kind: 'shelf', settings, credentials })
  const refused = await add({ board: 'seven' }, {})
  t.equal(refused.statusCode, 400)
  t.match(refused.body, 'credentials.token is required for shelf.')
  t.match(refused.body, 'settings.board must be the number of a board.')
  t.equal((await add({ board: '7', url: `http://${host}` }, { token: 'tok' })).statusCode, 201)

  const { components: { schemas } } = JSON.parse(openapiText(app))
  t.match(schemas.TicketingProviderDraft.properties.kind.enum.at(-1), 'shelf')
  t.match(schemas.TicketingSettings.properties.board, { description: 'Shelf: number of the board', examples: ['7'] })
  t.match(schemas.TicketingCredentials.properties.token.description, /, HubSpot and Shelf: the API token$/)

  const { PROVIDER_FORMS } = await import('../../src/tickets/providers/schemas.ts')
  t.match(PROVIDER_FORMS.at(-1), {
    name: 'shelf',
    label: 'Shelf',
    settings: [{ name: 'board', label: { de: 'Brett' }, input: 'text', maxLength: 200 }],
    credentials: [{ name: 'token', label: { fr: 'Jeton d’API' }, input: 'password' }]
  })

  await me.put(`/v1/agents/${id}`, { ticketing_providers: ['Ours'] })
  const draft = { agent: id, subject: 'Lost parcel', requester: { email: 'ada@example.com' } }
  const { data: ticket } = (await me.post('/v1/tickets', draft)).json()
  await settled()
  t.strictSame(asked, ['POST /7 Shelf tok'])
  t.match((await me.get(`/v1/tickets/${ticket.id}`)).json().data, { status: 'sent', external_id: 'card-1' })
})

t.test('a language that is a file in the list is spoken by agents and the widget', async (t) => {
  const { me, id } = await talkative(t)
  const { data: { id: conversation } } = (await me.post(`/v1/agents/${id}/conversations`, { language: 'xx' })).json()
  await me.post(`/v1/conversations/${conversation}/messages`, { text: '👍' })
  const { data } = (await me.get(`/v1/conversations/${conversation}/messages`)).json()
  t.match(data.at(-1).text, 'ALL RIGHT. JUST ASK IF THERE IS ANYTHING ELSE.')

  const { buildWeb } = await import('../../scripts/build/web.ts')
  const to = t.testdir({})
  await buildWeb({ to })
  const { entries } = JSON.parse(readFileSync(path.join(to, 'manifest.json'), 'utf8'))
  t.match(readFileSync(path.join(to, entries['widget/text-xx']), 'utf8'), 'CHAT WITH {name}')
})

t.test('a file format in the list is recognised, read, and known by its name and its type', async (t) => {
  const { extract } = await import('../../src/reading/extract.ts')
  t.match(await extract(Buffer.from('SHELF1 Returns take 30 days.')), {
    format: 'shelf', blocks: [{ text: 'Returns take 30 days.' }]
  })
  t.equal(formatOfName('returns.shelf'), 'shelf')
  t.equal(formatOfType('application/x-shelf; charset=utf-8'), 'shelf')
})
