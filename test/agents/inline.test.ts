import t from 'tap'
import { build, draft } from '../helper.ts'

// Was wrong when each text was written down by itself: 2,000 commits, longer than an answer may take, and the agent
// came about after the 503.
t.test('an agent with 1,000 texts is created and answered, in few commits', async (t) => {
  const { user, stores } = await build(t)
  const as = await user()
  const { atomically } = stores.db
  let groups = 0
  let isOpen = false
  // What is handed in during one turn of the event loop is one commit.
  stores.db.atomically = (work, options) => {
    if (!isOpen) {
      groups++
      isOpen = true
      setImmediate(() => { isOpen = false })
    }
    return atomically(work, options)
  }
  const answer = await as.post('/v1/agents/', {
    ...draft, knowledge_sources: Array.from({ length: 1000 }, (_none, i) => ({ plain_text: `Text ${i}` }))
  })
  t.equal(answer.statusCode, 201)
  t.equal((await as.get('/v1/agents/1/knowledge_sources/')).json().pagination.total, 1000)
  t.ok(groups < 100, `${groups} commits`)
})
