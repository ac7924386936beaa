import t from 'tap'
import { longestOnce } from '../../linear/turns.ts'
import { warmed } from './warmed.ts'

/*
 * A process of its own: the first question that it is asked, once what is made ahead is made. Says for how many
 * milliseconds the event loop was held at one stretch.
 */
await t.test('the first question', async (t) => {
  const { say } = await warmed(t)
  const longest = await longestOnce(0, async () => {
    t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  })
  console.log(`held for ${longest} ms`)
})
