import t from 'tap'
import { warmUp } from '../../src/warm-up.ts'
import { talkative } from '../conversations/helper.ts'

// Was wrong: the first question after a start held everybody up for a quarter of a second, while tables were made.
t.test('tables are made in turns of the event loop of their own, none where no agent knows anything', async (t) => {
  const { stores: { db } } = await talkative(t)
  let turns = 0
  let isOver = false
  const counting = (function count () {
    turns++
    return isOver ? undefined : setImmediate(count)
  })()
  await warmUp(db, new AbortController().signal)
  isOver = true
  t.ok(turns > 5, `${turns} turns`)
  clearImmediate(counting)

  const aborted = new AbortController()
  aborted.abort()
  t.equal(await warmUp(db, aborted.signal), undefined, 'a server that ends makes none')
  const read = () => [] as never
  t.equal(await warmUp({ raw: db.raw, read }, new AbortController().signal), undefined)
})
