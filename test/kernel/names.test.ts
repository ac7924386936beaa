import t from 'tap'
import { build, draft } from '../helper.ts'

const UNSEEN = ['\u200b', ' \u2060 ', '\u3164', '\u2800', '\u202e']
const PROVIDER = { provider: 'openai', key: 'sk-x', models: ['gpt-*'] }
const RULE = { when: 'asked', match: { words: { of: ['x'] } }, do: { kind: 'hand_off' } }

// Was wrong: tags, keys of saved replies, words of the business and names of model providers could be characters that
// nobody sees, which left them without a name in every list.
t.test('whatever people name has something to be seen, and is refused in the same words otherwise', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', draft)).json().data
  const begun = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const named: Array<[verb: 'post' | 'put' | 'patch', address: string, field: string, body: (name: string) => object]> = [
    ['post', '/v1/agents', 'name', (name) => ({ ...draft, name })],
    ['post', `/v1/agents/${id}/knowledge_folders`, 'name', (name) => ({ name })],
    ['post', `/v1/agents/${id}/knowledge_sources`, 'title', (title) => ({ title, plain_text: 'Open at nine.' })],
    ['put', `/v1/agents/${id}/vocabulary`, 'terms[0].term', (term) => ({ terms: [{ term, means: ['x'] }] })],
    ['put', `/v1/agents/${id}/vocabulary`, 'terms[0].means[0]', (one) => ({ terms: [{ term: 'x', means: [one] }] })],
    ['put', `/v1/agents/${id}`, 'behavior.guardRules[0].name', (name) => ({ behavior: { guardRules: [{ ...RULE, name }] } })],
    ['post', `/v1/agents/${id}/widget_keys`, 'name', (name) => ({ name, origins: ['https://shop.example'] })],
    ['post', '/v1/saved_replies', 'key', (key) => ({ key, texts: { en: 'x' } })],
    ['post', '/v1/api_keys', 'name', (name) => ({ name })],
    ['post', '/v1/model_providers', 'name', (name) => ({ ...PROVIDER, name })],
    ['post', '/v1/connections', 'name', (name) => ({ name, base_url: 'https://nobody.invalid' })],
    ['post', '/v1/visitors', 'name', (name) => ({ agent: id, name })],
    ['patch', `/v1/conversations/${begun}`, 'tags[0]', (tag) => ({ tags: [tag] })]
  ]
  for (const [verb, address, field, body] of named) {
    for (const unseen of UNSEEN) {
      const refused = await me[verb](address, body(unseen))
      const details = (refused.json().error?.details ?? []) as Array<{ field: string, message: string }>
      const said = details.find((one) => one.field === field)?.message
      t.equal(said, `${field} must not be blank.`, `${address} ${JSON.stringify(unseen)} ${refused.body.slice(0, 200)}`)
    }
  }
})
