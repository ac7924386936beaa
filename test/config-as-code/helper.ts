import type { Test } from 'tap'
import type { ConfigApplied, ConfigFile, ConfigPlan } from '../../schema/config.ts'
import { build } from '../helper.ts'

/** Files by name; null removes one. */
export type Files = Record<string, string>

export const HEAD = 'format: 1\nmanage: [agents, actions, questions, business, webhooks]\n'

/** The files of an agent that has learnt one text. */
export const agentFiles = (
  key: string, { name, prompt, text }: { name: string, prompt: string, text: string }
): Files => ({
  [`agents/${key}/agent.yaml`]: `key: ${key}\nname: ${name}\n`,
  [`agents/${key}/prompt.md`]: `${prompt}\n`,
  [`agents/${key}/knowledge/r.md`]: `${text}\n`,
  [`agents/${key}/sources.yaml`]: '- { key: r, title: Returns, text: knowledge/r.md }\n'
})

/** A shop's configuration. */
export const SHOP: Files = {
  'agenthall.yaml': HEAD,
  'business.yaml': 'name: Lamps & Co.\ntime_zone: Europe/Berlin\nhours:\n  monday:\n    - { from: "09:00", to: "17:30" }\n',
  'webhooks.yaml': '- key: crm\n  url: https://crm.example.com/hook\n  events: [ticket.created]\n',
  'actions/shop.yaml': `key: shop
name: Our shop
base_url: https://shop.example.com/api
auth: bearer
secret: { env: SHOP_KEY }
actions:
  - key: track_order
    title: Looking up your order
    effect: read
    method: GET
    path: /orders/{number}
    parameters:
      - { name: number, in: path, type: string }
    enabled: true
`,
  'agents/support/agent.yaml': `key: support
name: Support
appearance: { welcomeMessage: "Hello!" }
behavior:
  suggestions: [Where is my order?]
  actions: [track_order]
vocabulary:
  - { term: Aurora, means: [kettle] }
`,
  'agents/support/prompt.md': 'You help with lamps.\nBe brief.\n',
  'agents/support/knowledge/returns.md': '# Returns\n\nReturns are accepted within 30 days.\n',
  'agents/support/knowledge/faq.csv': 'question,answer\nHow long does it take?,Three days.\n',
  'agents/support/sources.yaml': `- key: returns
  title: Returns
  folder: [Shop, Orders]
  text: knowledge/returns.md
- key: faq
  title: Questions
  faq: knowledge/faq.csv
- key: site
  urls: [https://example.com/help]
  depth: 1
  count: 5
  include: [/help/*]
`,
  'agents/support/questions.yaml': `- key: returns
  text: How long do I have to return something?
  expect: { sources: [returns], says: [30 days] }
`
}

export const SECRETS = { SHOP_KEY: 'sk-canary-shop' }

export const listed = (files: Files): ConfigFile[] => Object.entries(files).map(([path, text]) => ({ path, text }))

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof build>>['user']>>

/** Plans and applies for a client. */
export function applying (me: Pick<Client, 'get' | 'post'>) {
  const plan = async (files: Files, more: object = { secrets: SECRETS }) =>
    await me.post('/v1/config/plan', { files: listed(files), ...more })
  const send = async (files: Files, digests: object, more: object = { secrets: SECRETS }, options: object = {}) =>
    await me.post('/v1/config/apply', { plan: { files: listed(files), ...more }, if: digests, ...options })
  return {
    plan,
    send,
    /** The plan, which has to be valid. */
    async planned (files: Files, more?: object): Promise<ConfigPlan> {
      const answer = await plan(files, more)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json().data
    },
    /** Plans and applies, which has to succeed. */
    async apply (files: Files, more?: object, options?: object): Promise<ConfigApplied> {
      const planned = await plan(files, more)
      if (planned.statusCode !== 200) throw new Error(planned.body)
      const answer = await send(files, planned.json().data.digests, more, options)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json().data
    },
    async exported (query = ''): Promise<Files> {
      const answer = await me.get(`/v1/config${query}`)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return Object.fromEntries(answer.json().data.files.map(({ path, text, base64 }: ConfigFile) => [path, text ?? `base64 ${base64}`]))
    },
    /** The errors, in sentences. */
    async faults (files: Files, more?: object): Promise<string[]> {
      const { error } = (await plan(files, more)).json()
      const details = (error?.details ?? []) as Array<{ message: string }>
      return details.length > 0 ? details.map(({ message }) => message) : [error?.message]
    }
  }
}

/** The app with a user who keeps an account in files. */
export async function inFiles (t: Test, env: Record<string, string> = {}) {
  const built = await build(t, env)
  const me = await built.user()
  return { ...built, me, ...applying(me) }
}
