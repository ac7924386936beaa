import t from 'tap'
import { demandFeature, demandRoomForAgent, featuresOf, plansOf } from '../../src/plans/plans.ts'

const EACH = { free: 1, pro: 2, enterprise: 3 }

// Was wrong with any of the table's values turned round: what each tier has was seen by tests of other features alone.
t.test('what each tier may use is what its description says', async (t) => {
  const has = (tier: keyof typeof EACH) =>
    Object.entries(featuresOf(tier)).flatMap(([name, isOn]) => isOn ? [name] : [])
  t.strictSame(has('free'), [])
  t.strictSame(has('pro'), ['PREMIUM_MODELS', 'AUTO_TICKET_RESPONSE'])
  t.strictSame(has('enterprise'), ['WHITE_LABELING', 'PREMIUM_MODELS', 'AUTO_TICKET_RESPONSE', 'ADD_ON_AGENT'])
})

t.test('a feature that a tier does not have is refused by its name; agents without a limit are not counted', async (t) => {
  t.doesNotThrow(() => demandFeature('pro', 'PREMIUM_MODELS', 'model'))
  t.throws(() => demandFeature('free', 'PREMIUM_MODELS', 'model'), {
    code: 'feature_unavailable', message: /^model needs the feature PREMIUM_MODELS, which the free tier does not have/
  })
  const { limits } = plansOf({ rateLimits: EACH, trainingLimits: EACH, storageLimits: EACH, agentLimits: { pro: 5 } })
  t.equal(limits('free').max_agents, 0, 'no limit was set')
  t.equal(limits('pro').max_agents, 5)
})

t.test('an account may have one agent more until it has as many as its tier allows', async (t) => {
  for (const [limits, tier, agents] of [
    [{ free: 2 }, 'free', 0], [{ free: 2 }, 'free', 1], [{ free: 0 }, 'free', 9], [{}, 'free', 9], [{ enterprise: 1 }, 'enterprise', 9]
  ] as const) t.doesNotThrow(() => demandRoomForAgent(limits, tier, agents), `${agents} of ${JSON.stringify(limits)}`)
  const refused = (limit: number, agents: number) => t.throws(
    () => demandRoomForAgent({ pro: limit }, 'pro', agents),
    {
      code: 'feature_unavailable',
      message: limit === 1 ? /^The pro tier allows one agent;/ : `The pro tier allows ${limit} agents;`,
      fields: { feature: 'ADD_ON_AGENT', tier: 'pro', limit }
    }
  )
  for (const [limit, agents] of [[2, 2], [2, 3], [1, 1], [1, 2]] as const) refused(limit, agents)
})
