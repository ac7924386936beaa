import '../bare-children.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
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
  t.match((await agenthall(['agents', 'list'], { env })).out, 'There are no such agents.')

  const made = await agenthall(['import', at('export'), '--report', at('report.json')], { env })
  t.match(made, { exitCode: 0, out: /Agent 1 \(Shop\) is made, Inactive, with one source to be trained\./ })
  t.match(JSON.parse(readFileSync(at('report.json'), 'utf8')), { kind: 'openai' })
  const [agent] = JSON.parse((await agenthall(['agents', 'list', '--json'], { env })).out)
  t.match(agent, { name: 'Shop', status: 'Inactive', sources: 1 })

  const refused: Array<[string[], RegExp]> = [
    [[at('export'), '--report', at('report.json')], /is there already/],
    [[at('export'), '--report', at('no/report.json')], /There is no directory/],
    [[at('export'), '--from', 'else'], /--from must be auto or one of openai/],
    [[at('nowhere')], /There is no file/],
    [[at('none.yml'), '--from', 'dify'], /No agent can be made of this/],
    [[at('other.json')], /This is no export that is known here/]
  ]
  for (const [args, says] of refused) t.match(await agenthall(['import', ...args], { env }), { exitCode: 1, note: says })
  writeFileSync(at('large.json'), Buffer.alloc(64 * 2 ** 20 + 1))
  t.match(await agenthall(['import', at('large.json')], { env }), { exitCode: 1, note: /larger than 64 MiB/ })
})
