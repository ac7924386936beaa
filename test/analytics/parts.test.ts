import fc from 'fast-check'
import t from 'tap'
import { figuresBy, incrementsBy, namesOfEnd, namesOfReturn, namesOfSatisfaction, type Parts } from '../../src/analytics/parts.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'

const OUTCOMES = ['resolved_confirmed', 'resolved_assumed', 'handed_off', 'ticketed', 'unanswered', 'abandoned'] as const
const parts = fc.record({
  language: fc.constantFrom('', 'de', 'en'),
  channel: fc.constantFrom('api', 'widget'),
  version: fc.constantFrom('', '1', '2'),
  tags: fc.uniqueArray(fc.constantFrom('vip', 'parcel', 'refund')),
  person: fc.constantFrom('', '7')
}) satisfies fc.Arbitrary<Parts>

t.test('whatever an episode is counted by, each way of cutting comes to the same', async () => {
  fc.assert(fc.property(fc.array(fc.record({
    parts,
    outcome: fc.constantFrom(...OUTCOMES),
    answers: fc.nat(9),
    isBack: fc.boolean(),
    score: fc.integer({ min: 1, max: 5 })
  })), (all) => {
    const increments = all.flatMap(({ parts, outcome, answers, isBack, score }) => [
      ...incrementsBy(parts, namesOfEnd(outcome, { answers, unknown: 0, cost: 3 })),
      ...isBack ? incrementsBy(parts, namesOfReturn(outcome)) : [],
      ...incrementsBy(parts, namesOfSatisfaction(1, null)),
      ...incrementsBy(parts, namesOfSatisfaction(score, 1))
    ])
    const cut = (by: string) => figuresBy(increments.filter((one) => one.by === by))
    const resolved = all.filter(({ outcome, isBack }) => outcome.startsWith('resolved') && !isBack).length
    return ['language', 'channel', 'version', 'person'].every((by) => {
      const some = cut(by)
      const sum = (of: (one: typeof some[number]) => number) => some.reduce((total, one) => total + of(one), 0)
      return sum(({ episodes }) => episodes) === all.length &&
        sum(({ resolved }) => resolved) === resolved &&
        sum(({ satisfaction }) => satisfaction.answers) === all.length &&
        sum(({ answers }) => answers) === all.reduce((total, { answers }) => total + answers, 0) &&
        Math.abs(sum(({ cost }) => cost ?? 0) - all.length * 3e-6) < 1e-9
    }) && cut('tag').reduce((sum, { episodes }) => sum + episodes, 0) ===
      all.reduce((sum, { parts: { tags } }) => sum + Math.max(1, tags.length), 0)
  }))
})

t.test('episodes are counted by what they had in common as they ended, with what a resolution cost', async (t) => {
  const model = await slowModel(t, async ({ say, end }) => {
    await say('Returns are accepted within 30 days of delivery [1].')
    end()
  })
  const { me, id, at, say, settled, user } = await talkative(t, {
    AGENTHALL_MODEL_URL: model.url
  })
  await say(QUESTION)
  await me.patch(at, { tags: ['vip', 'parcel'], language: 'de' })
  await me.post(`${at}/close`, { resolved: true })
  const by = async (part: string, query = '') => (await me.get(`/v1/analytics/parts?by=${part}${query}`)).json().data?.parts
  await settled()
  t.match(await by('tag'), [
    { value: 'parcel', episodes: 1, resolved: 1, deflection: 1, answers: 1 }, { value: 'vip', episodes: 1 }
  ])
  t.match(await by('language'), [{ value: 'de', episodes: 1 }])
  t.match(await by('version', `&agent=${id}`), [{ value: '1', episodes: 1, resolved: 1 }])
  t.match(await by('person'), [{ value: '', episodes: 1 }])
  // A change after the end takes back exactly what was counted.
  await me.patch(at, { tags: ['other'] })
  await say('And another one?')
  await settled()
  t.match(await by('tag'), [{ value: 'parcel', episodes: 1, resolved: 0 }, { value: 'vip', resolved: 0 }])
  t.strictSame(await by('channel', '&from=2020-01-01&to=2020-01-02'), [])
  t.equal((await me.get('/v1/analytics/parts?by=visitor')).statusCode, 400)
  t.equal((await me.get('/v1/analytics/parts?agent=999')).statusCode, 404)
  t.strictSame((await (await user()).get('/v1/analytics/parts?by=tag')).json().data.parts, [])
})

t.test('costs are known where prices are, and none where nothing was resolved', async (t) => {
  const [one] = figuresBy([
    { value: 'de', name: 'episodes', n: 4 }, { value: 'de', name: 'resolved', n: 3 }, { value: 'de', name: 'cost', n: 600_000 }
  ])
  t.match(one, { cost: 0.6, cost_per_resolved: 0.2, deflection: 0.75 })
  t.match(figuresBy([{ value: 'de', name: 'cost', n: 600_000 }])[0], { cost: 0.6, cost_per_resolved: null, deflection: null })
  t.match(figuresBy([{ value: 'de', name: 'episodes', n: 1 }])[0], { cost: null, cost_per_resolved: null })
})
