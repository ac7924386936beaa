import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { SHOP_DOCUMENT } from '../../scripts/example-shop.ts'
import { run } from '../../src/cli/index.ts'
import { acting, openShop } from '../actions/helper.ts'

/** The example shop, and commands on the data of a server that is connected to it. */
async function shell (t: Test) {
  const shop = await openShop(t)
  const built = await acting(t, shop.host)
  const file = path.join(built.directory, 'shop.json')
  writeFileSync(file, JSON.stringify(SHOP_DOCUMENT))
  async function agenthall (...args: string[]) {
    const [out, notes]: [string[], string[]] = [[], []]
    const { exitCode } = await run([...args, '--data', built.directory], {
      env: { AGENTHALL_ALLOWED_HOSTS: shop.host },
      out: (text) => { out.push(text) },
      note: (text) => { notes.push(text) }
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n') }
  }
  return { ...built, shop, file, agenthall }
}

t.test('a document is imported, an action tried, and calls are listed', async (t) => {
  const { agenthall, file, me, shop } = await shell(t)
  const of = ['--user', String(me.id)]
  const from = ['actions', 'import', file, ...of, '--connection', '1']
  t.match((await agenthall(...from)).out, /GET \/orders\/\{number\} +track_order +read +can be made/)
  t.strictSame((await me.get('/v1/actions')).json().data, [])
  const only = JSON.parse((await agenthall(...from, '--json', '--only', 'POST /returns')).out)
  t.strictSame(only.filter((one: { action: number | null }) => one.action !== null).length, 1)
  t.match((await agenthall(...from, '--all')).out, /check_stock +read +action \d, off/)
  const [, track] = (await me.get('/v1/actions')).json().data
  const test = ['actions', 'test', String(track.id), ...of, '--with', 'number=1001']
  t.match((await agenthall(...test)).out, /GET http:.*\/orders\/1001\n[^]*authorization: Bearer ••••\n\nIt was not sent\./)
  t.strictSame(shop.asked, [])
  t.match((await agenthall(...test, '--live')).out, /It was done\. \(200\)\n.*on its way/)
  t.match((await agenthall('actions', 'calls', ...of)).out, /track_order +done +200/)
  t.equal((await agenthall('actions', 'calls', ...of, '--state', 'unknown')).out, 'No calls.')
  const audit = (await me.get('/v1/audit')).json().data as Array<{ action: string, by: string }>
  t.ok(audit.some(({ action, by }) => action === 'importActions' && by === 'command_line'))
})

t.test('what cannot be done is said in a sentence', async (t) => {
  const { agenthall, file, me, directory } = await shell(t)
  const of = ['--user', String(me.id)]
  t.match(await agenthall('actions', 'test', '99', ...of), { exitCode: 1, notes: 'This account has no action 99.' })
  t.match(await agenthall('actions', 'test', '1', ...of, '--with', 'x'), { exitCode: 1, notes: '"x" is not name=value.' })
  t.match(await agenthall('actions', 'import', `${file}.none`, ...of, '--connection', '1'), { exitCode: 1, notes: /none/ })
  writeFileSync(path.join(directory, 'empty.json'), '{"openapi":"3.1.0","paths":{}}')
  t.match(await agenthall('actions', 'import', path.join(directory, 'empty.json'), ...of, '--connection', '1'), {
    out: 'Nothing in this document can be imported.'
  })
})
