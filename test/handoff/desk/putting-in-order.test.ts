import t, { type Test } from 'tap'
import { talkative } from '../../conversations/helper.ts'

const HOUR = 3_600_000

/** A conversation with its agent, and its state. */
async function desk (t: Test) {
  const built = await talkative(t, {}, { behavior: { expertHandoff: true, email: 'help@example.com' } })
  const { me, at, id, clock, settled } = built
  return {
    ...built,
    change: async (patch: object, where = at) => await me.patch(where, patch),
    now: async (where = at) => (await me.get(where)).json().data as Record<string, any>,
    ids: async (query: string) =>
      ((await me.get(`/v1/conversations?${query}`)).json().data as Array<{ id: string }>).map((one) => one.id),
    another: async () => (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id as string,
    pass: async (ms: number) => {
      clock.advance(ms)
      await settled()
    }
  }
}

t.test('conversations have tags, in lower case and each once, by which they are listed and found', async (t) => {
  const { me, id, conversation, change, now, ids, another } = await desk(t)
  t.strictSame((await now()).tags, [])
  const changed = await change({ tags: ['VIP', 'Rücksendung', 'vip'] })
  t.strictSame(changed.json().data.tags, ['vip', 'rücksendung'])
  const other = await another()
  await change({ tags: ['vip'] }, `/v1/conversations/${other}`)
  t.strictSame(await ids('tag=vip'), [other, conversation], 'newest first')
  t.strictSame(await ids('tag=VIP&limit=1'), [other])
  t.strictSame(await ids(`tag=vip&agent=${id}`), [other, conversation])
  t.strictSame(await ids('tag=R%C3%BCcksendung&status=open'), [conversation])
  t.strictSame(await ids('tag=unknown'), [])
  t.strictSame(await ids('search=r%C3%BCcksendung'), [conversation], 'a search looks in tags too')
  t.strictSame(await ids('search=r%C3%BCcksendung&tag=vip'), [conversation])
  const tags = async () => (await me.get('/v1/tags')).json().data.map(({ name }: { name: string }) => name)
  t.strictSame(await tags(), ['rücksendung', 'vip'])
  await change({ tags: ['vip'] })
  t.strictSame(await tags(), ['vip'], 'one that nothing has is gone')
  t.strictSame(await ids('tag=r%C3%BCcksendung'), [])
  await me.delete(`/v1/conversations/${other}`)
  t.strictSame(await ids('tag=vip'), [conversation])
  const many = await change({ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) })
  t.match(many.json().error.details, [{ field: 'tags' }], 'twenty at most')
  t.equal((await change({ tags: ['x'.repeat(51)] })).statusCode, 400)
  t.equal((await change({ tags: [' '] })).statusCode, 400)
})

// Was wrong: line breaks, marks of direction, control characters and commas were kept.
t.test('a tag is one line that reads as it is written, and a comma ends it, for programs as in the form', async (t) => {
  const { change, now, ids, conversation } = await desk(t)
  const odd = ['  Zwei\r\n Zeilen ', '\u202Egnp.exe\u202C', 'a\u0007b\u2066\u200F', 'kaputt, Rückgabe,,kaputt']
  t.strictSame((await change({ tags: odd })).json().data.tags, ['zwei zeilen', 'gnp.exe', 'ab', 'kaputt', 'rückgabe'])
  t.strictSame(await ids('tag=r%C3%BCckgabe'), [conversation])
  const faulty = async (tags: string[]) => (await change({ tags })).json().error?.details
  t.match(await faulty(['\u200E']), [{ field: 'tags[0]' }], 'nothing is left of it')
  t.match(await faulty([' , ']), [{ field: 'tags[0]' }])
  // Was wrong: a zero-width space alone was a tag, and beside "vip" there could be a "vip" with one.
  for (const unseen of ['\u200B', '\u2060\u00AD', '\u3164', '\u2800', '\u200D', ' \uFEFF ']) {
    t.match(await faulty([unseen]), [{ field: 'tags[0]', message: 'tags[0] must not be blank.' }], JSON.stringify(unseen))
  }
  const letters = [...'abcdefghijklmnopqrstu']
  t.match(await faulty([letters.join()]), [{ field: 'tags', code: 'too_many', message: /21.*comma/ }])
  t.equal((await now()).tags.length, 5, 'what is refused changes nothing')
  const same = ['vip', 'v\u200Bip', 'VIP\u2060', 'x,\u200D', '👩\u200D👧']
  t.strictSame((await change({ tags: same })).json().data.tags, ['vip', 'x', '👩\u200D👧'])
})

t.test('a search finds a tag of a conversation that was begun by a program that knew none', async (t) => {
  const { conversation, stores, change, ids } = await desk(t)
  await change({ tags: ['vip'], subject: 'Boxes' })
  stores.db.raw.prepare('delete from conversation_words').run()
  stores.db.raw.prepare('update conversations set indexed = 0').run()
  t.strictSame(await ids('search=vip'), [conversation])
})

t.test('a conversation may be more urgent than others, and is listed by that and by whose it is', async (t) => {
  const { me, at, conversation, change, ids, another, now } = await desk(t)
  t.equal((await now()).priority, null)
  t.match((await change({ priority: 'urgent' })).json().data, { priority: 'urgent' })
  await another()
  t.strictSame(await ids('priority=urgent'), [conversation])
  t.strictSame(await ids('priority=low'), [])
  t.equal((await change({ priority: 'soon' })).statusCode, 400)
  await change({ priority: null })
  t.strictSame(await ids('priority=urgent'), [])
  await me.post(`${at}/takeover`, {})
  t.strictSame(await ids(`person=${me.id}`), [conversation])
  t.strictSame(await ids(`assignee=${me.id}&snoozed=false`), [conversation])
  t.strictSame(await ids('assignee=999'), [])
})

t.test('one that is put off comes back when the time is over, as a change that watchers are told of', async (t) => {
  const { me, at, conversation, change, now, ids, pass, stores } = await desk(t)
  const told: string[] = []
  stores.eventBus.on('all', function * ({ type, data }) {
    if (type === 'conversation.updated') told.push(`${data.changed.join()} ${data.conversation.snoozed_until}`)
  })
  t.match((await change({ snoozed_until: '2026-01-01T03:00:00+01:00' })).json().data, {
    snoozed_until: '2026-01-01T02:00:00.000000Z'
  })
  t.strictSame(await ids('snoozed=true'), [conversation])
  t.strictSame(await ids('snoozed=false'), [])
  await change({ snoozed_until: '2026-01-01T05:00:00Z' })
  await pass(3 * HOUR)
  t.match(await now(), { snoozed_until: '2026-01-01T05:00:00.000000Z' }, 'put off anew, the first time counts no more')
  await pass(3 * HOUR)
  t.match(await now(), { snoozed_until: null })
  t.strictSame(await ids('snoozed=true'), [])
  t.strictSame(told.at(-1), 'snoozed_until null')
  t.equal(told.length, 3)
  for (const wrong of ['2026-01-01T01:00:00Z', '2027-06-01T00:00:00Z', '2026-02-30T00:00:00Z']) {
    t.match((await change({ snoozed_until: wrong })).json().error.details, [{ field: 'snoozed_until' }], wrong)
  }
  t.equal((await change({ snoozed_until: '2026-01-02T00:00:00Z', status: 'closed' })).statusCode, 400)
  await me.put('/v1/me/duty', { on: true })
  await me.post(`${at}/handoff`, {})
  t.match((await change({ snoozed_until: '2026-01-02T00:00:00Z' })).json().error, { code: 'not_taken_over' })
  await me.post(`${at}/close`, {})
  t.match((await change({ snoozed_until: '2026-01-02T00:00:00Z' })).json().error, { code: 'conversation_closed' })
})

t.test('it comes back when the visitor writes, is taken over or is brought back; nobody is called meanwhile', async (t) => {
  const { me, at, change, now, say, pass } = await desk(t)
  const snooze = async () => await change({ snoozed_until: '2026-01-05T00:00:00Z' })
  await snooze()
  await say('Hello?')
  t.match(await now(), { snoozed_until: null })
  await snooze()
  await me.post(`${at}/takeover`, {})
  t.match(await now(), { snoozed_until: null, handled_by: 'person' })
  await say('Are you there?')
  await snooze()
  await pass(HOUR)
  t.match(await now(), { handled_by: 'person', person: me.id, status: 'open' }, 'whoever put it off keeps it')
  await pass(48 * HOUR)
  t.match(await now(), { status: 'open' }, 'silence does not close it')
  t.match((await change({ snoozed_until: null })).json().data, { snoozed_until: null, handled_by: 'person' })
  await pass(16 * 60_000)
  t.not((await now()).handled_by, 'person', 'back again, whoever waits in it does not wait for ever')
})

t.test('webhooks are told what the team says of a conversation', async (t) => {
  const { me, change, stores } = await desk(t)
  const made = await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['conversation.updated'] })
  t.equal(made.statusCode, 201, made.body)
  const queued = stores.db.raw.prepare<[], number>("select count(*) from outbox where channel = 'webhook'").pluck()
  const before = queued.get()!
  await change({ tags: ['vip'] })
  await change({ tags: ['vip'] })
  t.equal(queued.get()! - before, 1, 'the same again is no change')
})
