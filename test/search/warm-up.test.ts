import { spawnSync } from 'node:child_process'
import path from 'node:path'
import t from 'tap'
import { conceptsIn, prepareConcepts, tokensOf } from '../../src/search/sense/lexicon.ts'
import { keepWarm } from '../../src/warm-up.ts'
import { build } from '../helper.ts'
import { heldApart } from '../linear/apart.ts'
import { talkative } from '../conversations/helper.ts'

/** Milliseconds of processor time at one stretch, in a process that does each thing for the first time. */
const MOST_AT_FIRST = 50
/** The same for one thing in a turn of its own. */
const MOST_AT_ONCE = 20

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

// Was wrong: the first question after a start blocked everybody for a quarter of a second, while tables were built.
t.test('tables are made in turns of the event loop of their own', async (t) => {
  const { stores: { db, eventBus } } = await talkative(t)
  let beside = 0
  const turns = await turnsOf(keepWarm({
    db,
    eventBus,
    * beside () { while (beside < 3) yield beside++ },
    signal: neverAborted(),
    onFault
  }).settled)
  t.ok(turns > 60, `${turns} turns`)
  t.equal(beside, 3, 'what else the first visitor would wait for is made too')

  const aborted = new AbortController()
  aborted.abort()
  t.equal(await turnsOf(keepWarm({ db, eventBus, signal: aborted.signal, onFault }).settled), 1, 'none at an end')
})

// Was wrong: in an installation whose first page was read after its start, the first question blocked everybody.
t.test('tables are made once an agent has learnt something, for each language once', async (t) => {
  const app = await build(t)
  const { db, eventBus } = app.stores
  const warmth = keepWarm({ db, eventBus, signal: neverAborted(), onFault })
  t.equal(await turnsOf(warmth.settled), 1, 'nobody knows anything yet')
  const me = await app.user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  // From the moment it is told: other work goes on beside it.
  let counted = Promise.resolve(0)
  eventBus.on('all', function * ({ type }) {
    if (type === 'source.trained') setImmediate(() => { counted = turnsOf(warmth.settled) })
  })
  const learn = async (title: string) => {
    await me.post(`/v1/agents/${id}/knowledge_sources`, { title, plain_text: 'Returns are accepted within 30 days.' })
    await app.settled()
    return await counted
  }
  t.ok(await learn('Returns') > 60)
  t.ok(await learn('Returns again') < 10)
})

t.test('what a first text in a language waits for is made in steps, or at once where the text comes before', (t) => {
  // A language that nobody has used yet in this process.
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

// Was wrong: tables of languages that nobody taught, expressions that were copied for each use, and what is learnt of a
// sentence first were made at one stretch, 108 ms of it.
t.test('the first question of a process holds nobody up', (t) => {
  const best = heldApart(path.join(import.meta.dirname, 'first/question.ts'), MOST_AT_FIRST)
  t.ok(best <= MOST_AT_FIRST, `${best} ms at one stretch`)
  t.end()
})

// Was wrong: the first German compound took 65 ms, the first message in other letters than Latin's 30 ms and
// then 110 ms for whether it asks for a person, and the first question of which names were taken out another 30 ms.
t.test('the first uses of word lists and of long expressions hold nobody up', (t) => {
  const best = heldApart(path.join(import.meta.dirname, 'first/uses.ts'), MOST_AT_ONCE)
  t.ok(best <= MOST_AT_ONCE, `${best} ms at one stretch`)
  t.end()
})

// Was wrong: tables were prepared for the first 1,000 characters of a message, while a search looks at its question:
// 90 ms for the first question in a language that stood behind a long text, or behind a long message before it.
t.test('the first question in a language holds nobody up, however much stands before it', (t) => {
  const best = heldApart(path.join(import.meta.dirname, 'first/behind.ts'), MOST_AT_ONCE)
  t.ok(best <= MOST_AT_ONCE, `${best} ms at one stretch`)
  t.end()
})

// Was wrong: expressions that say what is asked for were compiled with the first message in letters beyond Latin's.
t.test('the first message in other letters holds nobody up', (t) => {
  const best = heldApart(path.join(import.meta.dirname, 'first/place.ts'), MOST_AT_ONCE / 2)
  t.ok(best <= MOST_AT_ONCE / 2, `${best} ms at one stretch`)
  t.end()
})

// Was wrong where another file of the same process had asked in Czech before.
t.test('tables of languages that a question may be in are made in steps, once', (t) => {
  const { stdout } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'first/steps.ts')], { encoding: 'utf8' })
  const { first, again, kinds } = JSON.parse(stdout)
  t.ok(first > 10, 'in steps')
  t.equal(again, 0, 'once')
  t.ok(kinds > 10, 'each expression in a step of its own')
  t.end()
})
