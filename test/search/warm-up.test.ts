import t from 'tap'
import { conceptsIn, prepareConcepts, tokensOf } from '../../src/search/sense/lexicon.ts'
import { keepWarm } from '../../src/warm-up.ts'
import { build } from '../helper.ts'
import { talkative } from '../conversations/helper.ts'

/** How many turns the event loop takes until something is done. */
async function turnsOf (work: () => Promise<void>): Promise<number> {
  let turns = 0
  let isOver = false
  const counting = (function count () {
    turns++
    return isOver ? undefined : setImmediate(count)
  })()
  await work()
  isOver = true
  clearImmediate(counting)
  return turns
}

const neverAborted = () => new AbortController().signal
const onFault = (error: unknown) => { throw error }

// Was wrong: the first question after a start held everybody up for a quarter of a second, while tables were made.
t.test('tables are made in turns of the event loop of their own', async (t) => {
  const { stores: { db, announcements } } = await talkative(t)
  let beside = 0
  const turns = await turnsOf(keepWarm({
    db,
    announcements,
    * beside () { while (beside < 3) yield beside++ },
    signal: neverAborted(),
    onFault
  }).settled)
  t.ok(turns > 60, `${turns} turns`)
  t.equal(beside, 3, 'what else the first visitor would wait for is made too')

  const aborted = new AbortController()
  aborted.abort()
  t.equal(await turnsOf(keepWarm({ db, announcements, signal: aborted.signal, onFault }).settled), 1, 'none at an end')
})

// Was wrong: of an installation whose first page was read after its start, the first question held everybody up.
t.test('tables are made once an agent has learnt something, for each language once', async (t) => {
  const app = await build(t)
  const { db, announcements } = app.stores
  const warmth = keepWarm({ db, announcements, signal: neverAborted(), onFault })
  t.equal(await turnsOf(warmth.settled), 1, 'nobody knows anything yet')
  const me = await app.user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  const learn = async (title: string) => {
    await me.post(`/v1/agents/${id}/knowledge_sources`, { title, plain_text: 'Returns are accepted within 30 days.' })
    await app.settled()
    await new Promise(setImmediate)
    return await turnsOf(warmth.settled)
  }
  t.ok(await learn('Returns') > 60)
  t.ok(await learn('Returns again') < 10)
})

t.test('what a first text in a language waits for is made in steps, or at once where the text comes before', (t) => {
  // A language that nobody has spoken yet in this process.
  t.ok([...prepareConcepts('eu')].length > 0, 'in steps')
  t.same([...prepareConcepts('eu')], [], 'once')
  const making = prepareConcepts('ga')
  making.next()
  const text = 'an bhfuil sibh ar oscailt'
  t.same(conceptsIn(text, tokensOf(text), ['ga']), [])
  t.ok(making.next().done, 'nothing is left to make')
  t.end()
})

t.test('what checks and writes the answers of some routes is made ahead, in steps', async (t) => {
  const { app } = await build(t)
  const steps = (start: string) => [...app.compileAhead((url) => url.startsWith(start))].length
  t.ok(steps('/v1/agents') > steps('/v1/audit'))
  t.equal(steps('/nothing'), 0)
})

t.test('who needs a schema that nobody made ahead is noticed, once, and where that is wanted', async (t) => {
  const { app, user } = await build(t)
  const me = await user()
  let times = 0
  app.onFirstUse((url) => url.startsWith('/v1/webhooks'), () => { times++ })
  await me.get('/v1/agents')
  t.equal(times, 0)
  await me.post('/v1/webhooks', {})
  await me.get('/v1/webhooks')
  t.equal(times, 1)
})
