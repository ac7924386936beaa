import t from 'tap'
import { longestOnce } from '../../linear/turns.ts'
import { warmed } from './warmed.ts'

/*
 * A process of its own: the first question in another language, behind a long text, once what is made ahead is made.
 * Says for how many milliseconds the event loop was held at one stretch.
 */
await t.test('a question behind a long text', async (t) => {
  const { say } = await warmed(t)
  // What a first question compiles is no matter here.
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const longest = await longestOnce(0, async () => {
    t.equal((await say(`${'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx '.repeat(60)}. Was kostet der Versand?`)).statusCode, 201)
  })
  console.log(`held for ${longest} ms`)
})
