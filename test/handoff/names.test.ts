import t from 'tap'
import { joined } from '../access/people.ts'
import { UNNAMED } from '../../src/access/index.ts'
import { talkative } from '../conversations/helper.ts'
import { build } from '../helper.ts'

t.test('a visitor is told who has come, in the words of the business where it has some', async (t) => {
  const { me, id, stores, user, withSession } = await talkative(t)
  const colleague = await user({ name: 'Anna $& Berg' })
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const anna = { key: undefined, ...await withSession(colleague.id, me.id) }
  const told = async (by: Pick<typeof me, 'post'>) => {
    const begun = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    t.equal((await by.post(`/v1/conversations/${begun}/takeover`, {})).statusCode, 200)
    const messages = (await me.get(`/v1/conversations/${begun}/messages`)).json().data as Array<{ text: string }>
    return messages.at(-1)!.text
  }
  t.equal(
    await told(anna), 'A person is here now and will answer you. Anna $& Berg will help you now.'
  )
  await me.put('/v1/business', { notices: { taken: 'Hello, this is {{name}}.' } })
  t.equal(await told(anna), 'Hello, this is Anna $& Berg.')
  await me.put('/v1/business', { notices: { taken: 'Hello.' } })
  t.equal(await told(anna), 'Hello.', 'a business that names nobody names nobody')
  await me.put('/v1/business', { notices: { taken: '' } })
  for (const name of [UNNAMED, 'First user']) {
    stores.db.raw.prepare('update users set name = ? where id = ?').run(name, me.id)
    t.equal(await told(me), 'A person is here now and will answer you.', 'who has not said what they are called')
  }
})

t.test('all members of a team know each other by name, and nothing else', async (t) => {
  const { stores, user, withSession } = await build(t)
  const me = await user({ name: 'Ada' })
  const other = await user({ name: 'Grace' })
  joined(stores, me.id, other.id, ['VIEW_ANALYTICS'])
  const grace = { key: undefined, ...await withSession(other.id, me.id) }
  const all = (await me.get('/v1/members')).json().data as Array<{ id: number, user: { id: number, name: string } }>
  const names = all.map(({ id: member, user: { id, name } }) => ({ user: id, member, name }))
  t.strictSame(names.map(({ user: id, name }) => [id, name]), [[me.id, 'Ada'], [other.id, 'Grace']])
  t.strictSame((await grace.get('/v1/colleagues')).json().data, names)
  t.equal((await grace.get('/v1/members')).statusCode, 403)
  const own = (await other.get('/v1/members')).json().data[0].id
  t.strictSame((await other.get('/v1/colleagues')).json().data, [{ ...names[1], member: own }], 'in their own account there is nobody else')
})

t.test('what visitors are called, and their town, is answered for many at once, and nothing else of them', async (t) => {
  const { me, id, user } = await talkative(t)
  const made = async (about: object) => (await me.post('/v1/visitors', { agent: id, ...about })).json().data.id as string
  const [ada, nobody] = [await made({ name: 'Ada', email: 'ada@example.com' }), await made({})]
  const gone = `vis_${'x'.repeat(22)}`
  const names = async (ids: string) => (await me.get(`/v1/visitors/names?ids=${ids}`)).json().data
  t.strictSame(await names(`${ada},${nobody},${gone},${ada}`), [
    { id: ada, name: 'Ada', place: null }, { id: nobody, name: null, place: null }
  ])
  t.strictSame((await me.get('/v1/visitors/names')).json().data, [])
  t.strictSame((await (await user()).get(`/v1/visitors/names?ids=${ada}`)).json().data, [], 'another account')
  t.equal((await me.get('/v1/visitors/names?ids=ada')).statusCode, 400)
  t.equal((await me.get(`/v1/visitors/names?ids=${Array(101).fill(ada).join()}`)).statusCode, 400)
})
