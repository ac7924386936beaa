import t from 'tap'
import { placeAskedIn } from '../../../src/conversations/answering/small-talk/small-talk.ts'
import { inTurns } from '../../../src/platform/work/slices.ts'
import { prepareFor } from '../../../src/search/sense/talk/asking.ts'
import { keepWarm } from '../../../src/warm-up.ts'
import { longestOnce } from '../../linear/turns.ts'
import { talkative } from '../../conversations/helper.ts'

/*
 * A process of its own: the first message with letters beyond Latin's, once what is made ahead is made. Says for how
 * many milliseconds it held the event loop until it was taken apart.
 */
await t.test('the first message in other letters', async (t) => {
  const { stores: { db, eventBus } } = await talkative(t)
  await keepWarm({
    db, eventBus, signal: new AbortController().signal, onFault (error) { throw error }
  }).settled()
  const asked = 'Please, ship to 東京?'
  // As before each answer.
  await inTurns(prepareFor(asked, [['en', 1]]))
  console.log(`held for ${await longestOnce(0, async () => { placeAskedIn(asked, 'en') })} ms`)
})
