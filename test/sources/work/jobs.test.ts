import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import { DeadlineExceeded } from '../../../src/platform/work/deadline.ts'
import { build } from '../../helper.ts'
import { agentOf, serve, train, trainAll } from '../parts.ts'

t.test('deleting a source takes its own jobs along, and no job of another kind about something of the same number', async (t) => {
  // Was wrong: every job with its number was removed. Again with the trigger as it was.
  const built = await build(t)
  const { stores: { db }, clock } = built
  const as = await built.user()
  const { add, sources } = await agentOf(as)
  const { id } = await add({ plain_text: 'Zebra' })
  await jobsIn(db, clock, alone(clock)).queue.ask([
    { kind: 'deliver', subject: id, owner: as.id }, { kind: 'embed', subject: id, owner: as.id }
  ])
  await as.delete(`${sources}/${id}`)
  t.same(db.raw.prepare('select kind from jobs').pluck().all(), ['deliver'])
})

t.test(
  'what has to be fetched has places of its own; a text and a file that is here do not stand behind it',
  async (t) => {
    // Was wrong: three accounts with slow sites blocked everybody's training. Again with every source in one lane.
    const built = await build(t)
    const {
      stores: { db }
    } = built
    const slow = Promise.withResolvers<void>()
    const site = await serve(t, async (_request, reply) => {
      await slow.promise
      reply.writeHead(404).end()
    })
    for (let n = 0; n < 11; n++) {
      const { add } = await agentOf(await built.user())
      for (let i = 0; i < 3; i++) await add({ urls: [`${site}/${i}`], count: 5 })
    }
    const { add, read } = await agentOf(await built.user())
    const { id } = await add({ plain_text: 'Zebra' })
    const lanes = db.raw.prepare('select lane, count(*) as jobs from jobs group by lane order by lane').all()
    t.same(lanes, [
      { lane: 'here', jobs: 1 }, { lane: 'outside', jobs: 33 }
    ])
    const { stop } = await train(t, built)
    while ((await read(id)).training_status !== 'Success') await pause(5)
    slow.resolve()
    await stop()
  }
)

t.test(
  'of a site that takes too long what was read by then counts, and a page that takes too long has failed',
  async (t) => {
    // Was wrong: a crawl took as long as its site liked. Again without whilePatient, and with a failure that is retried
    // automatically.
    let over = new AbortController()
    const site = await serve(t, (request, reply) => {
      if (request.url === '/robots.txt') reply.writeHead(404).end()
      else if (request.url === '/slow') over.abort(new DeadlineExceeded(900_000))
      else {
        reply
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<title>Shop</title><main><p>The zebra eats grass.<a href="/slow">More</a>')
      }
    })
    const built = await build(t)
    const { add, read, list, search } = await agentOf(await built.user())
    const whole = await add({ urls: [`${site}/`], count: 5 })
    const quick = new AbortController().signal
    await trainAll(t, built, { patienceWith: (source) => (source === whole.id ? over.signal : quick) })
    over = new AbortController()
    const page = await add({ urls: [`${site}/slow`] })
    await trainAll(t, built, { patienceWith: (source) => (source === page.id ? over.signal : quick) })
    t.match(await read(whole.id), { training_status: 'Success' })
    t.same(
      (await list()).map(({ urls, training_status: status }) => [urls[0], status]),
      [
        [`${site}/`, 'Success'], [`${site}/`, 'Success'], [`${site}/slow`, 'Failed']
      ]
    )
    t.match(await read(page.id), {
      training_status: 'Failed', error: { code: 'timeout', message: /longer than 15 minutes/, retryable: true }
    })
    t.equal((await search('zebra')).length, 1)
    t.equal(built.stores.db.raw.prepare('select count(*) from jobs').pluck().get(), 0)
  }
)
