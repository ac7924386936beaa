import t from 'tap'
import { build, draft } from '../helper.ts'
import { embeddingsService } from '../journeys/embeddings-service.ts'
import { agentOf, inProcess, trainAll } from './parts.ts'

t.test('a text is trained and found, and gone when it is removed', async (t) => {
  const { user, settled } = await build(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents/', draft)).json().data
  const added = await as.post(`/v1/agents/${id}/knowledge_sources/`, { plain_text: 'Refunds are paid within ten days.\n\nShipping is free above 50 euros.', title: 'Policy' })
  t.equal(added.statusCode, 201, added.body)
  const source = added.json().data
  t.match(source, { status: 'Pending', training_status: 'Pending', total_training_usage_bytes: 67 })
  await settled()
  const read = (await as.get(`/v1/agents/${id}/knowledge_sources/${source.id}`)).json().data
  t.match(read, { status: 'Success', training_status: 'Success', error: null })
  t.equal((await as.get(`/v1/agents/${id}`)).json().data.total_training_usage_bytes, 67)
  const found = (await as.post(`/v1/agents/${id}/search`, { query: 'when is my refund paid?' })).json().data
  t.match(found, [{ source: source.id, title: 'Policy' }])
  t.equal((await as.delete(`/v1/agents/${id}/knowledge_sources/${source.id}`)).statusCode, 200)
  t.same((await as.post(`/v1/agents/${id}/search`, { query: 'refund' })).json().data, [])
  t.equal((await as.get(`/v1/agents/${id}`)).json().data.total_training_usage_bytes, 0)
  await settled()
})

t.test('with an embeddings service a text is found by its meaning, until it is removed', async (t) => {
  const { user, settled } = await build(t, await embeddingsService(t))
  const as = await user()
  const { id } = (await as.post('/v1/agents/', draft)).json().data
  const source = (await as.post(`/v1/agents/${id}/knowledge_sources/`, { plain_text: 'A bicycle can be returned within thirty days.' })).json().data
  await settled()
  const search = async (query: string) => (await as.post(`/v1/agents/${id}/search`, { query })).json().data
  t.match(await search('velocipede'), [{ source: source.id, text: /thirty days/ }])
  await as.delete(`/v1/agents/${id}/knowledge_sources/${source.id}`)
  await settled()
  t.same(await search('velocipede'), [])
})

t.test('a source whose reading ended the server ten times is not begun again at every start, until somebody asks', async (t) => {
  // Seen red without the limit: it was begun again.
  const built = await build(t)
  const agent = await agentOf(await built.user())
  const { id } = await agent.add({ plain_text: 'Here be dragons.' })
  built.stores.db.raw.exec('update jobs set attempts = 10')
  await trainAll(t, built, { sandbox: inProcess(() => { throw new Error('begun again') }) })
  t.match(await agent.read(id), { status: 'Failed', training_status: 'Failed', error: { code: 'internal_error', message: /begun 10 times/, retryable: true } })
  t.equal(built.stores.db.raw.prepare('select count(*) from jobs').pluck().get(), 0)
  const again = await agent.train(id)
  t.equal(again.status, 'Pending')
  await trainAll(t, built)
  t.match(await agent.read(id), { status: 'Success', error: null })
})
