import { text as textOf } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { build } from '../helper.ts'
import { databaseOf, fileAlone } from '../postgres/database.ts'
import { agentOf } from '../sources/parts.ts'

/** A server with a user's agent, and a key that holds a stream of its events open. */
async function watching (t: Test, expires: string | null = null) {
  const built = await build(t)
  const address = await built.app.listen({ port: 0, host: '127.0.0.1' })
  const as = await built.user()
  const { at } = await agentOf(as)
  const { id, key } = (await as.post('/v1/api_keys', { expires_at: expires })).json().data
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const open = async (key: string) => {
    const answer = await fetch(`${address}${at}/events`, {
      headers: { authorization: `Bearer ${key}` }, signal: leaving.signal
    })
    t.equal(answer.status, 200)
    let isOver = false
    const ended = textOf(answer.body as never).then(() => { isOver = true })
    // Nobody waits for the one still open when the test ends.
    ended.catch(() => {})
    return { ended, isOver: () => isOver }
  }
  const [stream, other] = [await open(key), await open(as.key!)]
  /** The stream ends, that of the other key does not. */
  const ends = async () => {
    await stream.ended
    t.notOk(other.isOver(), 'nobody else\'s stream ends')
    t.equal((await built.withKey(key).get('/v1/me')).statusCode, 401)
  }
  return { ...built, as, id, key, ends }
}

t.test('an open stream ends when its key is revoked by a request', async (t) => {
  // Was wrong: it went on sending everything until the client left.
  const { as, id, ends } = await watching(t)
  await as.delete(`/v1/api_keys/${id}`)
  await ends()
})

t.test('an open stream ends when its key is revoked by the command line', { skip: fileAlone }, async (t) => {
  const { directory, id, ends } = await watching(t)
  await run(['keys', 'revoke', String(id), '--data', directory], {
    env: databaseOf(directory), out: () => {}, note: () => {}
  })
  await ends()
})

t.test('an open stream ends when its key expires', async (t) => {
  const { clock, ends } = await watching(t, '2026-01-01T00:01:00Z')
  clock.advance(60_000)
  await ends()
})

t.test('an open stream ends when its user no longer acts for the account', async (t) => {
  const { stores, user, as, id, ends } = await watching(t)
  const elsewhere = await user()
  const { holder } = stores.access
  stores.access.holder = async (digest) => {
    const found = await holder(digest)
    return found && found.key === id ? { ...found, account: { id: elsewhere.id, tier: 'free' as const } } : found
  }
  // A membership ends with a commit, like everything that callers depend on.
  await stores.access.setTier(as.id, 'pro')
  await ends()
})
