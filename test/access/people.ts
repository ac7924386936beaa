import type { Permission } from '../../schema/access.ts'
import type { FileStores } from '../../src/stores.ts'
import type { build } from '../helper.ts'

export const PASSWORD = 'correct horse battery staple'

type Built = Pick<Awaited<ReturnType<typeof build>>, 'app' | 'stores' | 'user'>

/** A new user with a password, signed in, and with a key. */
export async function signedUp (
  { app, stores, user }: Built, { name = 'Ada', email }: { name?: string, email: string }
) {
  const key = await user({ name })
  const { token } = (await stores.signIn.makeLink(key.id))!
  const used = await app.inject({ method: 'POST', url: '/v1/links/use', payload: { token, password: PASSWORD, email } })
  const cookie = String(used.headers['set-cookie']).split(';')[0]!
  const ask = (method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE') => async (url: string, body?: object) =>
    await app.inject({
      method, url, headers: { cookie, 'sec-fetch-site': 'same-origin' }, ...(body && { payload: body })
    })
  return {
    id: key.id,
    key,
    cookie,
    as: { get: ask('GET'), put: ask('PUT'), patch: ask('PATCH'), post: ask('POST'), delete: ask('DELETE') }
  }
}

/** Makes a user a member of another account, as accepting an invitation does. */
export function joined (stores: FileStores, account: number, user: number, permissions: Permission[]) {
  stores.db.raw.prepare('insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, ?)')
    .run(account, user, JSON.stringify(permissions), '2026-01-01T00:00:00.000000Z')
}
