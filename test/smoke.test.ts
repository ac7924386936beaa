import t from 'tap'
import { build, draft } from './helper.ts'

t.test('an agent can be made, listed, updated and deleted', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const made = await as.post('/v1/agents/', draft)
  t.equal(made.statusCode, 201, made.body)
  const list = await as.get('/v1/agents/')
  t.equal(list.json().data.length, 1)
  const { id } = made.json().data
  const updated = await as.put(`/api/v1/agents/${id}`, { appearance: { primaryColor: '#000000' } })
  t.equal(updated.json().data.appearance.primaryColor, '#000000')
  t.equal((await as.delete(`/v1/agents/${id}`)).statusCode, 200)
  t.equal((await as.get(`/v1/agents/${id}`)).statusCode, 404)
})
