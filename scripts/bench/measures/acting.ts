import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { EXAMPLE_SHOP } from '../../../src/actions/example/address.ts'
import { as, seededAnew } from '../data.ts'
import { median } from '../drive.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'

/** Agents of one user: one with an action, and one without. */
const [ACTING, PLAIN] = [1, 2]
const AIM_MS = 25

/**
 * What a turn with one action takes, excluding the model's own time: the model says everything at once, and the shop is
 * the built-in one. Its parts: a turn without an action, and one in which the model chooses none.
 */
export async function acting ({ seconds, rounds }: Thoroughness): Promise<Line[]> {
  const directory = await seededAnew('acting', { users: 1, agents: 2 })
  const provider = fork(path.join(import.meta.dirname, '../processes/provider.ts'))
  const [url] = await once(provider, 'message') as [string]
  const file = path.join(directory, 'models.json')
  writeFileSync(file, JSON.stringify([{ match: 'instant', provider: 'openai-compatible', url }]))
  const server = await agenthall({ directory, settings: { MODELS: file } })
  try {
    const ask = asking(server)
    const id = await shop(ask)
    for (const agent of [ACTING, PLAIN]) await ask('PUT', `/v1/agents/${agent}`, { model: { response_model: 'instant' } })
    await ask('PUT', `/v1/agents/${ACTING}`, { behavior: { actionIds: [id] } })
    const times = { one: [] as number[], none: [] as number[], plain: [] as number[], model: [] as number[] }
    // In turn, so that other load on the machine affects all of them.
    for (let i = -20; i < 30 * seconds * rounds / 3; i++) {
      const round = {
        one: await turn(ask, ACTING, 'Where is my order 1001?'),
        none: await turn(ask, ACTING, 'What do you have for me?'),
        plain: await turn(ask, PLAIN, 'Where is my order 1001?'),
        model: await modelsOwn(url)
      }
      if (i >= 0) for (const name of ['one', 'none', 'plain', 'model'] as const) times[name].push(round[name])
    }
    const [one, none, plain] = [median(times.one), median(times.none), median(times.plain)]
    const models = 2 * median(times.model)
    return [{
      what: 'a turn with one action, beside the model\'s two calls',
      measured: `p50 ${ms(one - models)}`,
      against: `in all ${ms(one)}; with none chosen ${ms(none)}, without actions ${ms(plain)}`,
      aim: `p50 ≤ ${AIM_MS} ms`,
      reached: one - models <= AIM_MS
    }]
  } finally {
    await server.stop()
    provider.disconnect()
  }
}

/** What a call of the model takes on its own, made from here. */
async function modelsOwn (url: string): Promise<number> {
  const since = performance.now()
  const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'instant' }) })
  await answer.text()
  return performance.now() - since
}

type Ask = ReturnType<typeof asking>

const asking = (server: Server) => async (method: string, url: string, body: object) => {
  const answer = await fetch(server.url + url, {
    method, headers: { ...as(1), 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  if (!answer.ok) throw new Error(`${method} ${url} was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json() as { data: { id: number } }).data
}

/** The example shop, and the action that looks up an order in it. */
async function shop (ask: Ask): Promise<number> {
  const { id: connection } = await ask('POST', '/v1/connections', {
    name: 'Shop', base_url: EXAMPLE_SHOP, auth: 'bearer', secret: 'bench'
  })
  const { id } = await ask('POST', '/v1/actions', {
    connection,
    name: 'track_order',
    title: 'Looking up your order',
    when: 'The visitor asks where an order is.',
    effect: 'read',
    method: 'GET',
    path: '/orders/{number}',
    parameters: [{ name: 'number', in: 'path', type: 'string' }],
    result: { pick: ['/status', '/eta'] },
    limits: { per_conversation: 1000, per_day: 1_000_000 },
    enabled: true
  })
  return id
}

/** One turn, the first of its conversation. */
async function turn (ask: Ask, agent: number, text: string): Promise<number> {
  const { id } = await ask('POST', `/v1/agents/${agent}/conversations`, {})
  const since = performance.now()
  await ask('POST', `/v1/conversations/${id}/messages`, { text })
  return performance.now() - since
}
