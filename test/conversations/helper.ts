import type { Test } from 'tap'
import { build } from '../helper.ts'
import { slowModel } from './slow-model.ts'

export const RETURNS =
  'Returns are accepted within 30 days of delivery. Send the goods back unused and in their original packaging. We refund the price to the card you paid with.'
export const QUESTION = 'How many days do I have for returns?'

/** The production app with an agent that knows about returns, and a conversation with it. */
export async function talkative (
  t: Test, env: Record<string, string> = {}, agent: object = {}, options: Parameters<typeof build>[2] = {}
) {
  const built = await build(t, env, options)
  const me = await built.user()
  const { id } = (
    await me.post('/v1/agents', {
      name: 'Ada', systemPrompt: 'You help.', behavior: { suggestions: ['How do I return something?'] }, ...agent
    })
  ).json().data
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Returns', plain_text: RETURNS })
  await built.settled()
  const begun = await me.post(`/v1/agents/${id}/conversations`, {})
  t.equal(begun.statusCode, 201, begun.body)
  const conversation = begun.json().data.id as string
  const at = `/v1/conversations/${conversation}`
  return {
    ...built,
    me,
    id,
    conversation,
    at,
    say: (text: string, more = {}, headers = {}) => me.post(`${at}/messages`, { text, ...more }, headers)
  }
}

/** The data of a stream's text, as JSON. */
export function partsIn (body: string): Array<{ type: string, delta?: string, data?: unknown }> {
  return [...body.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data!))
}

/** What the first answer of a conversation begins with. */
export const NOTICE = 'You are talking to an AI assistant.\n\n'

/** An agent whose model says what the test specifies. */
export async function conversing (t: Test, agent: object = {}, env: Record<string, string> = {}) {
  const model = await slowModel(t)
  const built = await talkative(t, { AGENTHALL_MODEL_URL: model.url, ...env }, agent)
  const { me, at, conversation, stores: { conversations: { talk } } } = built
  const messages = async () => (await me.get(`${at}/messages`)).json().data as Array<Record<string, any>>
  /** Resolves when this much of the answer is visible. */
  const seen = async (text: string) => {
    while (!talk.runs.of(conversation)?.text.whole().includes(text)) await new Promise(setImmediate)
  }
  return { ...built, model, messages, seen, answer: async (text: string) => (await built.say(text)).json().data }
}
