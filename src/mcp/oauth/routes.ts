import type { FastifyPluginAsync } from 'fastify'
import type { Permission } from '../../../schema/access.ts'
import { AllowedAssistant, AskingAssistant, AssistantConsent, AssistantQuestion } from '../../../schema/assistants.ts'
import { success } from '../../../schema/envelopes.ts'
import { demand, route, type Caller } from '../../access/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import { resourceOf } from './addresses.ts'
import type { ClientOf } from './client.ts'
import { isLoopback, mayReturnTo, permissionsIn, readAsked, returnAddress } from './request.ts'
import type { GrantStore } from './store.ts'

const tag = 'API keys'
const UNKNOWN: Way = ['assistant_unknown', 'It is not known who this assistant is: its address answered 404.']
const MAY_NOT: Way = ['permission_denied', 'The caller lacks the permission MANAGE_API_KEY, or one that is to be allowed.']
const DAYS = 30

/** Dependencies of authorising assistants. `permissions`: those they can get. */
interface AssistantRoutesOptions {
  grants: GrantStore
  clientOf: ClientOf
  baseUrl: () => string
  permissions: readonly Permission[]
}

/** Authorising assistants, by a signed-in user: the console's request for details, and the confirmation. */
export const assistantRoutes: FastifyPluginAsync<AssistantRoutesOptions> = async (
  app, { grants, clientOf, baseUrl, permissions }
) => {
  /** An assistant's request and verified identity. Anyone who may create keys may authorise one. */
  async function read (caller: Caller, query: string) {
    demand(caller.permissions, ['MANAGE_API_KEY'], 'let assistants in')
    const asked = readAsked(query, resourceOf(baseUrl()))
    if (!asked) {
      throw invalid({ field: 'query', message: 'The assistant does not say who it is and where to go back. Start again in it.' })
    }
    const client = await clientOf(asked.client)
    if (!mayReturnTo(asked.redirectUri, client.redirectUris)) {
      throw new Refusal('assistant_unknown', `It is not known who this assistant is: ${client.host} does not list the address to go back to.`)
    }
    return { asked, client, offered: permissions.filter((one) => caller.permissions.includes(one)) }
  }

  app.route(route({
    post: '/assistants/look',
    id: 'lookAtAssistant',
    tag,
    summary: 'Read the authorisation request of an assistant',
    description: 'Returns what an assistant that sent a user to `/oauth/authorize` requests. Its identity is fetched from its own URL.',
    who: 'a session',
    audit: 'never',
    body: AssistantQuestion,
    answer: ok(
      success(AskingAssistant, { title: 'AskingAssistantAnswer', description: 'The assistant' }), 'Assistant retrieved successfully'
    ),
    refuses: [UNKNOWN, MAY_NOT],
    async handle ({ caller, body: { query } }) {
      const { asked, client, offered } = await read(caller, query)
      const { fault, redirectUri, scope } = asked
      const refusal = fault
        ? { error: fault.error, error_description: fault.description }
        : { error: 'access_denied' }
      return {
        name: client.name,
        client: client.client,
        host: client.host,
        returns_to: isLoopback(redirectUri) ? null : new URL(redirectUri).host,
        asked: permissionsIn(scope, offered),
        offered,
        problem: fault?.description ?? null,
        refuse_at: returnAddress(asked, baseUrl(), refusal)
      }
    }
  }))

  app.route(route({
    post: '/assistants',
    id: 'allowAssistant',
    tag,
    summary: 'Authorise an assistant',
    description:
      'Issues a key for /mcp, which is listed and revoked like other keys. Its permissions cannot exceed those of the caller.',
    who: 'a session',
    body: AssistantConsent,
    answer: ok(
      success(AllowedAssistant, { title: 'AllowedAssistantAnswer', description: 'Where the browser goes next' }), 'Assistant let in successfully'
    ),
    refuses: [UNKNOWN, MAY_NOT],
    async handle ({ caller, owner, body: { query, permissions: allowed, days = DAYS } }) {
      const { asked, client, offered } = await read(caller, query)
      if (asked.fault) throw invalid({ field: 'query', message: `The assistant cannot be let in: ${asked.fault.description}.` })
      for (const one of allowed) demand(offered, [one], `allow an assistant ${one}`)
      const { id, code } = await grants.add(owner, {
        user: caller.user.id,
        client: client.client,
        name: client.name,
        redirect_uri: asked.redirectUri,
        challenge: asked.challenge,
        permissions: allowed,
        days
      })
      return { id, redirect_to: returnAddress(asked, baseUrl(), { code }) }
    }
  }))
}
