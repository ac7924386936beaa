import t from 'tap'
import type { FeedReader } from '../../src/feeds/contract.ts'
import { looking } from '../../src/feeds/looking/look.ts'
import { DeadlineExceeded } from '../../src/platform/work/deadline.ts'
import { fed } from './helper.ts'

t.test('a place that is waited for too long is said to be so, takes nothing away, and is asked again', async (t) => {
  const { write, watch, me, at, feed, texts, stores, clock } = await fed(t)
  write('returns.md', 'Returns are accepted within 30 days.')
  const id = await watch()
  const before = await texts()
  t.equal((await me.post(`${at}/feeds/${id}/look`)).statusCode, 202)
  const reason = new DeadlineExceeded(15 * 60_000)
  const slow: FeedReader = {
    async * list () {
      yield []
      throw reason
    },
    read: async () => { throw reason }
  }
  const look = looking({ store: stores.feeds.store, blobs: stores.knowledge.blobs, clock, readerOf: () => slow })
  const job = await stores.jobs.claim({ kinds: ['feed'], lane: 'outside', perOwner: 9 })
  await look(job!, AbortSignal.abort(reason))
  t.match(await feed(id), { state: 'idle', error: { code: 'unavailable', message: /longer than 15 minutes/ }, next_at: /^2026/ })
  t.strictSame(await texts(), before)
})
