import '../bare-children.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t from 'tap'
import { build } from '../helper.ts'
import { agenthall } from './helper.ts'

t.test('an export becomes an agent that answers nobody yet, with a report', async (t) => {
  const root = t.testdir({
    export: {
      'assistants.json': JSON.stringify({
        object: 'assistant', id: 'a', name: 'Shop', instructions: 'Help.', file_ids: ['file-1'], metadata: { a: 'b' }
      }),
      'file-1.md': '# Returns\n\nIn 30 days.'
    },
    'none.yml': 'kind: app\nversion: 0.3\napp: { name: x, mode: workflow }',
    'other.json': '{}'
  })
  const env = { AGENTHALL_DATA: path.join(root, 'data') }
  const at = (name: string) => path.join(root, name)
  await agenthall(['users', 'create', '--name', 'Ada'], { env })
  const tried = await agenthall(['import', '--dry-run', at('export')], { env })
  t.match(tried, { exitCode: 0, note: '', out: /Shop, with one source\. Nothing was made\./ })
  t.match(tried.out, /not carried \(1\)\n {2}assistants\.json\/metadata: Agents have no labels/)
  t.match((await agenthall(['agents', 'list'], { env })).out, 'No agents found.')

  const made = await agenthall(['import', at('export'), '--report', at('report.json')], { env })
  t.match(made, { exitCode: 0, out: /Agent 1 \(Shop\) is made, Inactive, with one source to be trained\./ })
  t.match(JSON.parse(readFileSync(at('report.json'), 'utf8')), { kind: 'openai' })
  const [agent] = JSON.parse((await agenthall(['agents', 'list', '--json'], { env })).out)
  t.match(agent, { name: 'Shop', status: 'Inactive', sources: 1 })

  const refused: Array<[string[], RegExp]> = [
    [[at('export'), '--report', at('report.json')], /already exists/],
    [[at('export'), '--report', at('no/report.json')], /There is no directory/],
    [[at('export'), '--from', 'else'], /--from must be auto or one of openai/],
    [[at('nowhere')], /There is no file/],
    [[at('none.yml'), '--from', 'dify'], /No agent can be made from this/],
    [[at('other.json')], /This is not a known export/]
  ]
  for (const [args, says] of refused) t.match(await agenthall(['import', ...args], { env }), { exitCode: 1, note: says })
  writeFileSync(at('large.json'), Buffer.alloc(64 * 2 ** 20 + 1))
  t.match(await agenthall(['import', at('large.json')], { env }), { exitCode: 1, note: /larger than 64 MiB/ })
})

t.test('an export at an address is fetched, and what cannot be had is told', async (t) => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/export/shop.json?key=1' ? 200 : 404)
    response.end(JSON.stringify({ object: 'assistant', id: 'a', name: 'Shop', instructions: 'Help.' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { AGENTHALL_DATA: path.join(t.testdir({}), 'data') }
  const tried = await agenthall(['import', '--dry-run', `${at}/export/shop.json?key=1`], { env })
  t.match(tried, { exitCode: 0, note: '', out: /Shop, with 0 sources\. Nothing was made\./ })
  t.match(await agenthall(['import', '--dry-run', `${at}/gone.json`], { env }), { exitCode: 1, note: /gone\.json cannot be read: .*404/ })
  t.match(await agenthall(['import', '--dry-run', 'https://'], { env }), { exitCode: 1, note: /is not an address/ })
})

t.test('what was uploaded is listed, shown, applied and deleted from the command line, and keys are listed', async (t) => {
  const directory = path.join(t.testdir({ data: {} }), 'data')
  const { user, settled } = await build(t, {}, { directory })
  const me = await user()
  const env = { AGENTHALL_DATA: directory }
  const run = async (...args: string[]) => await agenthall(args, { env })
  t.match(await run('imports', 'list'), { exitCode: 0, out: 'Nothing was uploaded yet.' })
  t.match(await run('agents', 'keys'), { exitCode: 0, out: 'There are no agents yet.' })
  const shop = JSON.stringify({ object: 'assistant', id: 'a', name: 'Shop', instructions: 'Help.', metadata: { a: 'b\u001b[2J' } })
  for (const text of [shop, '{}']) {
    const { statusCode } = await me.post('/v1/imports', `--b\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n${text}\r\n--b--\r\n`, {
      'content-type': 'multipart/form-data; boundary=b'
    })
    t.equal(statusCode, 201)
  }
  await settled()
  t.match((await run('imports', 'list')).out, /^2 +– +failed +a\.json.*\n1 +openai +planned +a\.json/m)
  t.match(JSON.parse((await run('imports', 'list', '--json')).out), [{ id: 2, files: ['a.json'] }, { id: 1, state: 'planned' }])
  t.match(await run('imports', 'show', '1'), { exitCode: 0, out: /openai, planned\n[^]*Shop: sources 0[^]*not carried: a\.json\/metadata/ })
  t.match((await run('imports', 'show', '2')).out, /failed\nThis is not a known export/)
  t.match(await run('imports', 'apply', '2'), { exitCode: 1, note: /./ })
  t.match(await run('imports', 'apply', '1'), { exitCode: 0, out: /openai, applied[^]*Agents: 1/ })
  t.match(await run('imports', 'apply', '1', '--new'), { exitCode: 0, out: /Agents: .*2/ })
  t.match(await run('imports', 'apply', '1', '--agent', 'x'), { exitCode: 1, note: /must be a number/ })
  t.match((await me.get('/v1/agents/1')).json().data, { name: 'Shop', status: 'Inactive' })
  t.match((await me.get('/v1/audit')).json().data.filter(({ action }: { action: string }) => action === 'applyImport'), [
    { by: 'command_line', target: 'imports/1/apply' }, {}
  ])
  const keys = JSON.parse((await run('agents', 'keys', '--json')).out)
  t.match(keys, [{ kind: 'agent', id: 1 }, { kind: 'agent', id: 2 }])
  t.match((await run('agents', 'keys', '--agent', keys[0].key)).out, keys[0].key)
  t.match((await run('agents', 'keys', '--agent', 'none')).out, 'No agent has the key none.')
  t.match(await run('imports', 'delete', '2'), { exitCode: 0, out: /Import 2 is deleted/ })
  for (const verb of ['show', 'apply', 'delete']) {
    t.match(await run('imports', verb, '2'), { exitCode: 1, note: /There is no import 2; .*imports list/ }, verb)
  }
  t.match(await run('imports', 'show', 'x'), { exitCode: 1, note: /must be a number/ })
})
