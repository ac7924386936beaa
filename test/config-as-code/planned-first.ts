import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../helper.ts'
import { longestOnce } from '../linear/turns.ts'
import { applying, SHOP, type Files } from './helper.ts'

/*
 * A process of its own: the first files that are planned, and the first that are wrong, once the schemas of the request
 * are compiled. Says for how many milliseconds the event loop was held at one stretch.
 */
const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
const endings: Array<() => unknown> = [() => rmSync(directory, { recursive: true })]
const { app, user } = await build({
  testdir: () => directory,
  teardown: (end) => { endings.unshift(end) },
  fail: (...[why]) => { throw new Error(String(why)) }
})
const { planned, faults } = applying(await user())
for (const steps = app.compileAhead((url) => url.startsWith('/v1/config')); !steps.next().done;);

const wrong: Files = {
  ...SHOP,
  'business.yaml': 'odd: 1\n',
  'webhooks.yaml': '- { key: crm, odd: 1 }\n',
  'actions/shop.yaml': 'key: shop\nodd: 1\n',
  'agents/support/agent.yaml': 'key: support\nodd: 1\n',
  'agents/support/sources.yaml': '- { key: returns, odd: 1 }\n',
  'agents/support/questions.yaml': '- { key: returns, odd: 1 }\n'
}
const held = await longestOnce(0, async () => {
  await planned(SHOP)
  const all = await faults(wrong)
  if (all.length !== 6) throw new Error(all.join(' '))
})
console.log(`held for ${held} ms`)
for (const end of endings) await end()
