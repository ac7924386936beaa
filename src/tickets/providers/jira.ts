import type { ProviderSettings } from '../../../schema/tickets.ts'
import type { Api } from './http.ts'
import { at, bodyOf, digestOf, headerOf, inPages, isSigned, textAt } from './http.ts'
import type { Inbound, ProviderUpdate, TicketProvider } from './contract.ts'
import { commentOf, descriptionOf, isOurs, markOf } from './text.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Entries that are asked for at a time. */
const AT_ONCE = 100

/**
 * Jira Service Management, customer requests. The request bears our mark in its description, and is found among
 * those of the desk.
 */
export function jira (
  api: Api, { url = '', service_desk: desk, request_type: type }: ProviderSettings, signingSecret: string | undefined
): TicketProvider {
  const external = (key: string) => ({ externalId: key, externalUrl: `${withoutEnd(url, '/')}/browse/${key}` })

  /** The one of a list that is looked for, on whichever page. A page may hold fewer than were asked for. */
  async function sought<T> (
    list: string, filter: string, signal: AbortSignal, isSought: (one: T) => boolean
  ) {
    let start = 0
    return await inPages<T>(async () => {
      const page = await api.ask<{ values: T[], isLastPage?: boolean }>(
        'GET', `${list}?start=${start}&limit=${AT_ONCE}${filter}`, signal
      )
      start += page.values.length
      const isLast = page.isLastPage ?? page.values.length < AT_ONCE
      return { items: page.values, isLast: isLast || page.values.length === 0 }
    }, isSought)
  }

  return {
    async create (outgoing, key, signal) {
      const { issueKey } = await api.ask<{ issueKey: string }>('POST', '/rest/servicedeskapi/request', signal, {
        serviceDeskId: desk,
        requestTypeId: type,
        requestFieldValues: { summary: outgoing.ticket.subject, description: descriptionOf(outgoing, key) }
      })
      return external(issueKey)
    },
    async find (marker, _outgoing, signal) {
      const found = await sought<{ issueKey: string, requestFieldValues: Array<{ fieldId: string, value?: unknown }> }>(
        '/rest/servicedeskapi/request',
        `&serviceDeskId=${desk}&requestTypeId=${type}&requestOwnership=OWNED_REQUESTS`,
        signal,
        ({ requestFieldValues }) => requestFieldValues.some(
          ({ fieldId, value }) => fieldId === 'description' && String(value).includes(markOf(marker))
        )
      )
      return found && external(found.issueKey)
    },
    async comment (id, message, key, signal) {
      await api.ask('POST', `/rest/servicedeskapi/request/${encodeURIComponent(id)}/comment`, signal, {
        body: commentOf(message, key), public: true
      })
    },
    async hasComment (id, marker, signal) {
      const path = `/rest/servicedeskapi/request/${encodeURIComponent(id)}/comment`
      return await sought<{ body: string }>(path, '', signal, ({ body }) => body.includes(markOf(marker))) !== undefined
    },
    parseWebhook (request) {
      if (
        signingSecret &&
        !isSigned(signingSecret, request.body, headerOf(request, 'x-hub-signature')?.replace(/^sha256=/, ''), 'hex')
      ) { return 'refused' }
      return updateOf(request)
    }
  }
}

function updateOf (request: Inbound): ProviderUpdate | null {
  const event = bodyOf(request)
  const externalId = textAt(event, 'issue', 'key')
  if (!externalId) return null
  if (textAt(event, 'webhookEvent') === 'comment_created') {
    const [text, id] = [textAt(event, 'comment', 'body'), textAt(event, 'comment', 'id')]
    if (!text || !id || isOurs(text) || at(event, 'comment', 'jsdPublic') === false) return null
    return {
      externalId, origin: id, message: { from: textAt(event, 'comment', 'author', 'displayName') ?? null, text }
    }
  }
  const category = textAt(event, 'issue', 'fields', 'status', 'statusCategory', 'key')
  if (!category) return null
  const origin = digestOf(request)
  return { externalId, origin, request: origin, status: category === 'done' ? 'closed' : 'open' }
}
