import { Type } from '@sinclair/typebox'
import type { Api } from './base/http.ts'
import { bodyOf, digestOf, headerOf, inPages, isSigned, textAt } from './base/http.ts'
import type { Inbound, ProviderUpdate, TicketProvider } from './base/contract.ts'
import { address, defineProvider, setting, SIGNING_SECRET, TOKEN } from './base/definition.ts'
import { commentOf, descriptionOf, isOurs, markOf } from './base/text.ts'

interface Issue { number: number, html_url: string, body: string | null }

const LABEL = 'agenthall'
/** GitHub's maximum page size. */
const GITHUB_PAGE = 100
const HOUR_MS = 3_600_000

/** GitHub issues, of github.com or of an Enterprise server. */
export const github = defineProvider({
  name: 'github',
  called: 'GitHub',
  url: 'https://api.github.com',
  settings: Type.Object({
    repository: setting({
      description: 'owner and name of the repository',
      examples: ['example/support'],
      form: { like: /^[\w.-]+\/[\w.-]+$/, must: 'be owner/name' },
      label: {
        en: 'Repository (owner/name)',
        de: 'Repository (owner/name)',
        es: 'Repositorio (owner/name)',
        fr: 'Dépôt (owner/name)',
        pt: 'Repositório (owner/name)'
      }
    }),
    url: Type.Optional(address({
      description: 'URL of the GitHub Enterprise API',
      label: {
        en: 'Address of GitHub Enterprise',
        de: 'Adresse von GitHub Enterprise',
        es: 'Dirección de GitHub Enterprise',
        fr: 'Adresse de GitHub Enterprise',
        pt: 'Endereço do GitHub Enterprise'
      },
      hint: {
        en: 'Of its API, such as https://github.example.com/api/v3; empty for github.com',
        de: 'Die der API, etwa https://github.example.com/api/v3; leer für github.com',
        es: 'La de su API, por ejemplo https://github.example.com/api/v3; vacía para github.com',
        fr: 'Celle de son API, par exemple https://github.example.com/api/v3 ; vide pour github.com',
        pt: 'O da API, por exemplo https://github.example.com/api/v3; vazio para github.com'
      }
    }))
  }),
  credentials: Type.Object({ token: TOKEN, signing_secret: Type.Optional(SIGNING_SECRET) }),
  open: ({ connect, settings, credentials: { token, signing_secret: secret } }) => {
    const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
    return inGithub(connect({ authorization: `Bearer ${token}`, ...headers }), settings.repository, secret)
  }
})

/**
 * GitHub issues. The issue carries our marker in its text, and is found among those with our label since the ticket was
 * opened.
 */
function inGithub (api: Api, repository: string, signingSecret: string | undefined): TicketProvider {
  const issues = `/repos/${repository}/issues`
  const external = ({ number, html_url: url }: Issue) => ({ externalId: String(number), externalUrl: url })

  /** The item of a list that carries our marker, on any page. */
  async function bearing<T extends { body?: string | null }> (
    list: string, filter: string, marker: string, signal: AbortSignal
  ) {
    return await inPages<T>(async (page) => {
      const items = await api.ask<T[]>('GET', `${list}?per_page=${GITHUB_PAGE}&page=${page + 1}${filter}`, signal)
      return { items, isLast: items.length < GITHUB_PAGE }
    }, ({ body }) => body?.includes(markOf(marker)) === true)
  }

  return {
    async create (outgoing, key, signal) {
      return external(
        await api.ask<Issue>('POST', issues, signal, {
          title: outgoing.ticket.subject, body: descriptionOf(outgoing, key), labels: [LABEL]
        })
      )
    },
    async find (marker, { ticket }, signal) {
      const since = new Date(Date.parse(ticket.created_at) - HOUR_MS).toISOString()
      const one = await bearing<Issue>(issues, `&labels=${LABEL}&state=all&since=${since}`, marker, signal)
      return one && external(one)
    },
    async comment (id, message, key, signal) {
      await api.ask('POST', `${issues}/${encodeURIComponent(id)}/comments`, signal, { body: commentOf(message, key) })
    },
    async hasComment (id, marker, signal) {
      return await bearing(`${issues}/${encodeURIComponent(id)}/comments`, '', marker, signal) !== undefined
    },
    parseWebhook (request) {
      if (
        signingSecret &&
        !isSigned(signingSecret, request.body, headerOf(request, 'x-hub-signature-256')?.replace(/^sha256=/, ''), 'hex')
      ) { return 'refused' }
      return updateOf(request)
    }
  }
}

/** Delivery ids are in an unsigned header, so a request is identified by its body. */
function updateOf (request: Inbound): ProviderUpdate | null {
  const [kind, event] = [headerOf(request, 'x-github-event'), bodyOf(request)]
  const [externalId, action] = [textAt(event, 'issue', 'number'), textAt(event, 'action')]
  if (!externalId) return null
  if (kind === 'issue_comment' && action === 'created') {
    const [text, id] = [textAt(event, 'comment', 'body'), textAt(event, 'comment', 'id')]
    return !text || !id || isOurs(text)
      ? null
      : { externalId, origin: id, message: { from: textAt(event, 'comment', 'user', 'login') ?? null, text } }
  }
  const status = ({ closed: 'closed', reopened: 'open' } as const)[action as 'closed' | 'reopened']
  if (kind !== 'issues' || !status) return null
  const origin = digestOf(request)
  return { externalId, origin, request: origin, status }
}
