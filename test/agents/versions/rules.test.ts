import fc from 'fast-check'
import t from 'tap'
import { DEFAULT_SETTINGS, settingsIn, type AgentSettings } from '../../../schema/agents.ts'
import { diffOf } from '../../../src/agents/versions/diff.ts'
import { build, draft } from '../../helper.ts'

t.test('a field that is in but one of two is a change, and so is a text that becomes something else', async (t) => {
  const of = (settings: object) => ({ ...DEFAULT_SETTINGS, ...settings }) as AgentSettings
  t.strictSame(diffOf(of({}), of({})), [])
  t.strictSame(diffOf(of({ translations: {} }), of({ translations: { de: { buttonText: 'Los' } } })), [
    { field: 'translations.de', from: undefined, to: { buttonText: 'Los' } }
  ])
  t.strictSame(diffOf(of({ privacy_url: null }), of({ privacy_url: 'https://example.com/a' })), [
    { field: 'privacy_url', from: null, to: 'https://example.com/a' }
  ])
})

/** What somebody may do with an agent. */
const step = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    patch: fc.record({
      description: fc.constantFrom('One', 'Two', 'Three'),
      model: fc.record({ temperature: fc.constantFrom(0, 1) }, { requiredKeys: [] }),
      publish_on_save: fc.boolean()
    }, { requiredKeys: [] })
  }),
  fc.record({ do: fc.constant('publish' as const) }),
  fc.record({ do: fc.constantFrom('restore' as const, 'again' as const), number: fc.nat({ max: 12 }) }),
  fc.record({ do: fc.constant('close' as const) })
)

// Planted faults: `update` that writes the settings of a draft into the row; `publish` that stores no version.
t.test('whatever is changed, published, restored and begun anew: visitors get exactly what the live version holds', async (t) => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
    const directory = t.testdir({})
    let built = await build(t, {}, { directory })
    let as = await built.user()
    const { key, id: owner } = as
    const { id } = (await as.post('/v1/agents', { ...draft, publish_on_save: false })).json().data
    const at = `/v1/agents/${id}`
    let live = settingsIn((await built.stores.agents.live(owner, id))!)
    let shown = live
    for (const one of steps) {
      if (one.do === 'close') {
        await built.close()
        built = await build(t, {}, { directory })
        as = { id: owner, ...built.withKey(key) }
      } else if (one.do === 'put') {
        const { data } = (await as.put(at, one.patch)).json()
        shown = settingsIn(data)
        if (data.publish_on_save) live = shown
      } else if (one.do === 'publish') {
        const { statusCode } = await as.post(`${at}/publish`, {})
        if (statusCode === 201) live = shown
      } else {
        const version = (await as.get(`${at}/versions/${one.number}`)).json().data
        const path = one.do === 'again' ? 'publish' : 'restore'
        const { statusCode } = await as.post(`${at}/versions/${one.number}/${path}`, {})
        if (statusCode === 201) {
          if (JSON.stringify(shown) === JSON.stringify(live)) shown = version.settings
          live = version.settings
        } else if (statusCode === 200) shown = version.settings
      }
      const now = (await built.stores.agents.live(owner, id))!
      const { data: agent } = (await as.get(at)).json()
      const kept = (await as.get(`${at}/versions/${now.live_version}`)).json().data
      const visitors = JSON.stringify(settingsIn(now))
      if (visitors !== JSON.stringify(live)) throw new Error(`visitors get ${visitors}`)
      if (JSON.stringify(kept.settings) !== JSON.stringify(live) || kept.state !== 'live') throw new Error('another version is live')
      if (JSON.stringify(settingsIn(agent)) !== JSON.stringify(shown)) throw new Error('another draft is shown')
      if (agent.has_unpublished !== (JSON.stringify(shown) !== JSON.stringify(live))) throw new Error('has_unpublished')
    }
    await built.close()
  }), { numRuns: 15 })
  t.pass('15 stories')
})
