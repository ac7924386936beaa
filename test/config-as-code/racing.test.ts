import t from 'tap'
import { inFiles, SHOP } from './helper.ts'

// Planted fault: an apply that does not compare once more inside its transaction.
t.test('a change between what an apply reads and its transaction is not overwritten', async (t) => {
  const { me, apply, plan, send, stores } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const next = {
    ...SHOP, 'agents/support/prompt.md': 'Next.\n', 'agents/support/knowledge/returns.md': '# Returns\n\nWithin 60 days.\n'
  }
  const { digests } = (await plan(next)).json().data
  const { blobs } = stores.knowledge
  const { stage } = blobs
  // Texts are uploaded after everything was read, and before the transaction.
  blobs.stage = async () => {
    blobs.stage = stage
    await stores.agents.update(me.id, id, (agent) => ({ ...agent, systemPrompt: 'Meanwhile.' }))
    return await stage()
  }
  const refused = await send(next, digests)
  t.match([refused.statusCode, refused.json().error.fields], [412, { places: ['agents/support'] }])
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.systemPrompt, 'Meanwhile.')
})
