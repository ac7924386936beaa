import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { SHOP, type Files } from './helper.ts'
import { agenthall, serving } from '../cli/helper.ts'

const env = { SHOP_KEY: 'sk-canary-shop' }

function put (directory: string, files: Files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    writeFileSync(path.join(directory, name), text)
  }
}

const all = (directory: string) => Object.fromEntries(readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).sort()
  .map((file) => [path.relative(directory, file), readFileSync(file, 'utf8')]))

async function begun (t: Test) {
  const directory = t.testdir({})
  const data = path.join(directory, 'data')
  await agenthall(['users', 'create', '--data', data, '--name', 'Ada'])
  const { 'agents/support/sources.yaml': _sources, ...texts } = SHOP
  const conf = path.join(directory, 'config')
  put(conf, texts)
  const asked = (args: string[], more: object = env) => agenthall([...args, '--data', data], { env: more })
  return { directory, data, conf, asked, plan: path.join(directory, 'plan.json') }
}

t.test('an account is exported, planned and applied, and the exit code says what there was to do', async (t) => {
  const { directory, conf, asked, plan } = await begun(t)
  const first = await asked(['plan', conf, '--out', plan])
  t.match([first.exitCode, first.out], [2, /\+ create agents\/support {2}\(agents\/support\/agent\.yaml\)/])
  t.match(first.out, /~ change business[^]*name: "" → "Lamps & Co\."[^]*2 sources would be trained[^]*To create: 7\. To change: 1\. To delete: 0\./)
  t.notMatch(readFileSync(plan, 'utf8'), /canary/)
  const without = await asked(['plan', conf], {})
  t.match(without.out, /! The secret SHOP_KEY is missing/)
  const refused = await asked(['apply', plan])
  t.match([refused.exitCode, refused.note], [1, /Type yes to apply this:[^]*Nothing was applied\. Use --yes/])
  const applied = await asked(['apply', plan, '--yes', '--wait', '--ref', '4f2a9c1'])
  t.match([applied.exitCode, applied.out], [0, /Applied: 8 changes\.\nThe training of 2 sources has finished\./], 'who has waited is not told that it is still to come')
  t.match(await asked(['apply', plan, '--yes']), { exitCode: 1, note: /Something has changed since this was planned/ })
  t.match(await asked(['plan', conf]), { exitCode: 0, out: 'No changes; 8 objects are as the files have them.' })
  const out = path.join(directory, 'out')
  t.match(await asked(['export', out]), { exitCode: 0, out: /has \d+ files: \d+ written, 0 removed/ })
  t.match(await asked(['export', out]), { exitCode: 0, out: /matches the account/ })
  t.match(await asked(['plan', out], {}), { exitCode: 0 })
  t.notMatch(JSON.stringify(all(out)), /canary/)
  const before = all(out)
  put(out, { 'agents/gone/agent.yaml': 'key: gone\n', 'notes.txt': 'mine' })
  t.match(await asked(['export', out, '--json']), { out: /"removed":1/ })
  t.strictSame(all(out), { ...before, 'notes.txt': 'mine' }, 'what is no export\'s stays')
  t.match(await asked(['export', out, '--agent', 'support']), { exitCode: 0 })
  t.match(await asked(['export', out, '--agent', 'nobody']), { exitCode: 1, note: /no agent with the key nobody/ })
  t.match(await asked(['apply', conf, '--yes']), { exitCode: 0, out: 'There was nothing to change.' })
  t.match(await asked(['apply', conf]), { exitCode: 0 }, 'nobody is asked where there is nothing to do')
})

t.test('agents are published through their questions, which hold them up with exit code 3', async (t) => {
  const { conf, asked } = await begun(t)
  const published = await asked(['apply', conf, '--yes', '--publish'])
  t.match([published.exitCode, published.out], [0, /Visitors are answered with version 2 of agents\/support/])
  put(conf, { 'agents/support/prompt.md': 'Other.\nBe brief.\n', 'agents/support/questions.yaml': '- { key: returns, text: "How long?", expect: { says: [a hundred days] } }\n' })
  const plan = await asked(['plan', conf])
  t.match(plan.out, /systemPrompt:\n {6}- You help with lamps\.\n {6}\+ Other\.\n {8}Be brief\./)
  const held = await asked(['apply', conf, '--yes', '--publish'])
  t.match([held.exitCode, held.out], [3, /agents\/support was not published: 1 of 1 blocking test questions[^]*QUESTION +VERDICT +WHY\nHow long\? +fail/])
  await asked(['agents', 'update', '1', '--description', 'By hand'])
  put(conf, { 'webhooks.yaml': '[]\n' })
  const drifted = await asked(['plan', conf, '--prune'])
  t.match(drifted.out, /! agents\/support was changed by somebody at .* since agents\/support\/agent\.yaml was applied\n- delete webhooks\/crm/)
  t.match((await asked(['plan', conf])).out, /\? webhooks\/crm is in no file and stays as it is/)
})

t.test('what cannot be applied is told in a sentence, and 2 is kept for what is to be applied', async (t) => {
  const { directory, conf, asked, plan, data } = await begun(t)
  put(conf, { 'agents/support/agent.yaml': 'key: support\nnme: x\n' })
  t.match(await asked(['plan', conf]), { exitCode: 1, note: 'agents/support/agent.yaml:2:1: nme is not a known field; did you mean "name"?' })
  t.match(await asked(['plan', path.join(directory, 'none')]), { exitCode: 1, note: /There is no directory/ })
  t.match(await asked(['plan']), { exitCode: 1 })
  t.match(await asked(['apply']), { exitCode: 2 })
  t.match(await asked(['apply', conf, '--publish', '--draft']), { exitCode: 2 })
  for (const [text, sentence] of [['x', /is not a plan/], ['{"format":2}', /is from a newer version/], ['{"format":1,"plan":{"files":[]},"if":null}', /is not a plan/]] as const) {
    writeFileSync(plan, text)
    t.match(await asked(['apply', plan, '--yes']), { exitCode: 1, note: sentence })
  }
  writeFileSync(plan, '{"format":1,"plan":{"files":[]},"if":{}}')
  t.match(await asked(['apply', plan, '--yes', '--prune']), { exitCode: 1, note: /planned without --prune/ })
  const other = path.join(directory, 'other')
  put(other, { 'thesis.txt': 'x', '.git/config': 'x' })
  t.match(await asked(['export', other]), { exitCode: 1, note: /has files in it that are not configuration/ })
  t.match(await asked(['export', other, '--force']), { exitCode: 0 })
  t.ok(existsSync(path.join(other, 'thesis.txt')))
  symlinkSync('/etc/passwd', path.join(conf, 'agents', 'support', 'knowledge', 'link.md'))
  t.match(await asked(['plan', conf]), { exitCode: 1, note: /link\.md is a symbolic link/ })
  symlinkSync('/etc', path.join(other, 'agents'))
  t.match(await asked(['export', other]), { exitCode: 1, note: /agents is a symbolic link/ })
  const large = path.join(directory, 'large')
  put(large, { 'agenthall.yaml': 'format: 1\nmanage: []\n', 'agents/a/knowledge/large.md': 'x'.repeat(40 * 2 ** 20) })
  t.match(await asked(['plan', large]), { exitCode: 1, note: /2 files of 41 MiB; a configuration may have 4000 of 32 MiB\. The largest is agents\/a\/knowledge\/large\.md/ })
  const proxy = createServer((_request, reply) => { reply.end('<html>Down for maintenance</html>') }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close().closeAllConnections())
  await once(proxy, 'listening')
  put(path.join(directory, 'elsewhere'), { 'agenthall.yaml': 'format: 1\nmanage: []\n' })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  t.match(await agenthall(['plan', path.join(directory, 'elsewhere'), '--url', url], { env: { AGH_API_KEY: 'x' } }), { exitCode: 1, note: /answered 200, and not as an Agenthall server does/ })
  const notes: string[] = []
  const { 'agents/support/questions.yaml': _questions, ...few } = SHOP
  put(path.join(directory, 'asked'), few)
  const saying = (text: string) => run(['apply', path.join(directory, 'asked'), '--data', data], { env, out () {}, note: (note) => { notes.push(note) }, input: Readable.from([text]) })
  t.equal((await saying('no\n')).exitCode, 1)
  t.equal((await saying('yes\n')).exitCode, 0)
})

t.test('an account of a server elsewhere is kept in files by a key', async (t) => {
  const { conf, data, directory } = await begun(t)
  const { server, address } = await serving(t, data)
  const { out: made } = await agenthall(['keys', 'create', '--user', '1', '--data', data, '--json'])
  const { key } = JSON.parse(made)
  const asked = (args: string[], more: object = {}) => agenthall([...args, '--url', address], { env: { ...env, AGH_API_KEY: key, ...more } })
  t.match(await asked(['plan', conf]), { exitCode: 2 })
  t.match(await asked(['apply', conf, '--yes', '--wait']), { exitCode: 0, out: /Applied: 8 changes/ })
  t.match(await asked(['plan', conf]), { exitCode: 0 })
  const out = path.join(directory, 'out')
  t.match(await asked(['export', out, '--agent', 'support']), { exitCode: 0 })
  t.match(readFileSync(path.join(out, 'agents/support/prompt.md'), 'utf8'), 'You help with lamps.\nBe brief.\n')
  t.match(await asked(['plan', conf], { AGH_API_KEY: 'wrong' }), { exitCode: 1 })
  t.match(await asked(['plan', conf], { AGH_API_KEY: '' }), { exitCode: 1, note: /--url needs a key in AGH_API_KEY/ })
  t.match(await agenthall(['plan', conf, '--url', 'x'], { env: { AGH_API_KEY: key } }), { exitCode: 1, note: /is not an address/ })
  t.match(await agenthall(['plan', conf, '--url', `${address}/healthz?`], { env: { AGH_API_KEY: key } }), { exitCode: 0 }, 'a path is not heeded')
  server.kill('SIGTERM')
  await new Promise((resolve) => server.on('close', resolve))
  t.match(await asked(['plan', conf]), { exitCode: 1, note: /cannot be reached/ })
})
