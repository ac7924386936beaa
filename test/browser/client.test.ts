import t from 'tap'
import { bundleClient } from '../../scripts/build/client.ts'
import type * as Client from '../../src/client/index.ts'
import { build } from '../helper.ts'
import { closeBrowser, theBrowser, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

t.test('a browser asks an agent through the typed client', { skip: withoutChromium }, async (t) => {
  const { app, user } = await build(t)
  const me = await user()
  const url = await app.listen({ port: 0 })
  const page = await (await (await theBrowser(t)).newContext()).newPage()
  // Other origins are not let in: a page of the server's own.
  await page.goto(`${url}/openapi.json`)
  await page.evaluate(`${await bundleClient('client')}; globalThis.agenthallClient = client`)
  const answer = await page.evaluate(async ({ url, key }) => {
    const { Agenthall } = (globalThis as unknown as { agenthallClient: typeof Client }).agenthallClient
    const client = new Agenthall({ url, key })
    const { data: agent } = await client.post('/v1/agents', { body: { name: 'Ada', systemPrompt: 'You help.' } })
    const pieces: string[] = []
    const asking = client.agent(agent.id).ask('Who are you?')
    for await (const piece of asking) pieces.push(piece)
    return { pieces: pieces.join(''), text: (await asking).text }
  }, { url, key: me.key! })
  t.match(answer.text, /assistant/)
  t.equal(answer.pieces, answer.text)
})
