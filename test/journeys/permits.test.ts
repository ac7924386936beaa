import { text as textOf } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import { ROLES } from '../../schema/team.ts'
import type { Permit } from '../../src/platform/http/permit.ts'
import { joined } from '../access/people.ts'
import { build, draft, routesOf, type Method } from '../helper.ts'
import { SHOP, site } from '../widget/helper.ts'

/** What somebody sends along with every request. */
type Headers = Record<string, string>
interface Route { method: Method, url: string, permit: Permit }

/** What a rule requires on a route that lets in any user: only one's own things need no permission there. */
const BY_RULE: Record<string, Permission[]> = { 'DELETE /v1/members/:id': ['SEND_INVITE'] }

/** Every route of the app with what it declares: a new one is tested from its first day. */
async function routesWithPermits (app: FastifyInstance): Promise<Route[]> {
  return (await routesOf(app)).map(({ method, url }) => {
    const permit = app.routeMethods.get(url)?.get(method)
    if (!permit) throw new Error(`${method} ${url} does not say who may call it`)
    return { method, url, permit: BY_RULE[`${method} ${url}`] ?? permit }
  })
}

/** The result of a request about nothing that exists: it is let in, whatever the outcome, or why not. */
async function outcome (
  app: FastifyInstance, headers: Headers, { method, url }: Pick<Route, 'method' | 'url'>
): Promise<'in' | 'who' | 'may not'> {
  const isWriting = ['POST', 'PUT', 'PATCH'].includes(method)
  // As soon as the response begins: a stream has no end.
  const answer = await app.inject({
    method, url: url.replace(/:\w+/g, '987654'), headers, ...(isWriting && { payload: {} }), payloadAsStream: true
  })
  if (answer.statusCode !== 403) answer.stream().destroy()
  if (answer.statusCode === 401) return 'who'
  // HEAD has no body with more details.
  const isRefused =
    answer.statusCode === 403 && (method === 'HEAD' || /"permission_denied"/.test(await textOf(answer.stream())))
  return isRefused ? 'may not' : 'in'
}

/** What a permit allows a caller with these permissions. */
function expected (permit: Permit, by: 'key' | 'session', held: readonly Permission[]): 'in' | 'may not' | 'who' {
  if (permit === 'visitor') return 'who'
  if (permit === 'a session') return by === 'session' ? 'in' : 'may not'
  if (typeof permit === 'string') return 'in'
  return permit.some((one) => held.includes(one)) ? 'in' : 'may not'
}

t.test('every route lets in whom it declares and nobody else: without anything, as a visitor, by a key of each permission, in a session of each role', async (t) => {
  // Planted fault: the hook of `permit` requires no permission.
  const built = await build(t)
  const { app, stores, user, withSession } = built
  const routes = (await routesWithPermits(app)).filter(({ permit }) => permit !== 'anyone')
  t.ok(routes.length > 60, `${routes.length} routes`)
  const boss = await user({ name: 'Boss' })
  await boss.post('/v1/agents', draft)
  const wrong: string[] = []
  const check = async (who: string, headers: () => Promise<Headers>, wanted: (route: Route) => string) => {
    for (const route of routes) {
      const seen = await outcome(app, await headers(), route)
      if (seen !== wanted(route)) wrong.push(`${route.method} ${route.url} as ${who}: ${seen}, not ${wanted(route)}`)
    }
  }

  await check('nobody', async () => ({}), () => 'who')
  for (const permission of PERMISSIONS) {
    const { answer } = await stores.access.createKey(boss.id, () => ({
      name: permission, permissions: [permission], expires_at: null
    }))
    await check(
      `a key with ${permission}`,
      async () => ({ authorization: `Bearer ${answer.key}` }),
      ({ permit }) => expected(permit, 'key', [permission])
    )
  }
  for (const [role, may] of Object.entries(ROLES)) {
    const member = await user({ name: role })
    joined(stores, boss.id, member.id, [...may])
    // Some routes end the calling session, so that each has its own.
    await check(`${role}, in a session`, async () => {
      const { cookie } = await withSession(member.id, boss.id)
      return { cookie, 'sec-fetch-site': 'same-origin', 'agenthall-account': String(boss.id) }
    }, ({ permit }) => expected(permit, 'session', may))
  }
  t.strictSame(wrong, [])
})

t.test('a visitor\'s token opens the visitor\'s routes alone', async (t) => {
  const built = await site(t)
  const visitor = await built.visit()
  const routes = (await routesWithPermits(built.app)).filter(({ permit }) => permit !== 'anyone')
  const wrong: string[] = []
  for (const route of routes) {
    const seen = await outcome(built.app, { origin: SHOP, authorization: `Bearer ${visitor.session.token}` }, route)
    if (seen !== (route.permit === 'visitor' ? 'in' : 'who')) wrong.push(`${route.method} ${route.url}: ${seen}`)
  }
  t.strictSame(wrong, [])
})
