import '../../bare-children.ts'
import t from 'tap'
import { byModel } from '../../../src/conversations/answering/by-model.ts'
import { startProvider } from '../../models/provider.ts'
import { QUESTION, talkative } from '../helper.ts'

const AGENT = {
  id: 1, owner: 2, model: { response_model: 'small-1', temperature: 0.3, token_length: 9000 }, behavior: { expertHandoff: false, email: null, escalationPrompt: '' }
} as never

/** The part that asks a model, over models that are told what to choose. */
function asking (choice: object, { used = 0, daily = 0 } = {}) {
  const requests: object[] = []
  const nones: string[] = []
  const part = byModel({
    models: {
      choose: () => choice,
      answer: (request: object) => {
        requests.push(request)
        return (async function * () {})()
      },
      tokens: () => 7
    } as never,
    ledger: { today: () => ({ account: used, agent: used }) },
    allowanceOf: () => ({ hasPremium: true, daily: { account: 0, agent: daily } }),
    onNone: (_agent, why) => nones.push(why)
  })
  const prompt = { system: 'S', messages: [], answerTokens: 5, sources: [] }
  return { ...part, requests, nones, ask: (agent = AGENT) => part.model(agent, prompt, new AbortController().signal) }
}

t.test('an agent without a model says why once, and the sources answer', async (t) => {
  const { ask, nones } = asking({ none: 'There are no language models.' })
  t.equal(ask(), undefined)
  ask()
  t.strictSame(nones, ['There are no language models.'])
})

t.test('when the tokens of the day are used up, no model is asked', async (t) => {
  const choice = { models: [{ context: null }] }
  t.ok(asking(choice, { used: 99, daily: 100 }).ask())
  const spent = asking(choice, { used: 100, daily: 100 })
  t.equal(spent.ask(), undefined)
  t.match(spent.nones, [/tokens of the day/])
})

t.test('the agent\'s temperature goes along, and what it may propose only where there is a person', async (t) => {
  const { ask, requests, tokenLength, tokens } = asking({ models: [{ context: 4000 }] })
  ask()
  t.match(requests, [{ owner: 2, temperature: 0.3, answerTokens: 5, system: 'S' }])
  t.notOk('actions' in requests[0]!)
  ask({ ...AGENT as object, behavior: { expertHandoff: true } } as never)
  t.match(requests[1], { actions: { names: ['handoff'] } })
  t.equal(tokenLength(AGENT), 4000, 'what the model can read at most')
  t.equal(tokens(AGENT, 'x'), 7)
  t.equal(asking({ models: [{ context: null }] }).tokenLength(AGENT), 9000)
})

t.test('with a provider set, a model answers; its tokens are in the usage', async (t) => {
  const provider = await startProvider(t)
  const { say, me } = await talkative(t, { AGENTHALL_MODEL_URL: `${provider.origin}/v1`, AGENTHALL_MODEL_KEY: 'secret-key' }, { model: { response_model: 'well' } })
  const { data } = (await say(QUESTION)).json()
  t.match(data, { answered_by: 'model', status: 'complete', model: 'well', usage: { input_tokens: Number } })
  const usage = (await me.get('/v1/usage')).json().data
  t.match(usage, { total: { runs: 1 }, days: [{ model: 'well', runs: 1 }] })
  const [asked] = (await provider.asked()).filter(({ path }) => path.endsWith('/chat/completions'))
  t.match(JSON.parse(asked!.body), { model: 'well' })
})
