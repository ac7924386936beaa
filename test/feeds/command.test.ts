import '../bare-children.ts'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { newAgent } from '../../src/agents/draft.ts'
import { openStores } from '../../src/stores.ts'
import { PERMISSIONS } from '../../schema/access.ts'
import { draft, fixedClock } from '../helper.ts'
import { agenthall } from '../cli/helper.ts'

t.test('a folder is watched, listed and looked at from the command line', async (t) => {
  const root = t.testdir({ data: {}, docs: { 'a.md': 'Page a says something.' } })
  const [directory, docs] = [path.join(root, 'data'), path.join(root, 'docs')]
  utimesSync(path.join(docs, 'a.md'), 1_600_000_000, 1_600_000_000)
  const stores = await openStores({ directory, clock: fixedClock() })
  const { user } = await stores.access.createUser({ name: 'Ada', tier: 'enterprise' })
  const made = newAgent(
    draft, { response_model: 'm', display_model: 'M' }, { tier: 'enterprise', permissions: PERMISSIONS, ticketing: [] }
  )
  await stores.agents.create(user.id, made)
  await stores.close()
  const env: Record<string, string> = { AGENTHALL_FOLDERS: docs }
  const run = async (...args: string[]) => await agenthall([...args, '--agent', '1', '--data', directory], { env })

  t.match(await run('feeds', 'list'), { exitCode: 0, out: 'The agent has no feeds yet.' })
  t.match(await run('knowledge', 'watch', '/etc'), { exitCode: 1, note: /AGENTHALL_FOLDERS/ })
  t.match(await run('knowledge', 'watch', docs), { exitCode: 0, out: /docs +folder +idle +1 +1 +0 +0/ })
  writeFileSync(path.join(docs, 'b.md'), 'Page b says something.')
  utimesSync(path.join(docs, 'b.md'), 1_600_000_000, 1_600_000_000)
  t.match(await run('feeds', 'look', '1'), { exitCode: 0, out: /folder +idle +2 +1 +0 +0/ })
  t.match(JSON.parse((await run('feeds', 'list', '--json')).out), [{ id: 1, kind: 'folder', sources: 2 }])
  t.match(await run('feeds', 'look', '9'), { exitCode: 1, note: /Agent 1 has no feed 9/ })
  rmSync(docs, { recursive: true })
  t.match(await run('feeds', 'look', '1'), { exitCode: 1, note: /What was learnt from it stays/ })
  mkdirSync(docs)
  // Everything learnt is removed at once: a person has to confirm that.
  t.match(await run('feeds', 'look', '1'), { exitCode: 0, out: /paused/ })
  t.match(await run('feeds', 'approve', '1'), { exitCode: 0, out: 'Feed 1 is looked at once more, and what is still gone is removed.' })
  t.match(await run('feeds', 'approve', '1'), { exitCode: 1, note: /./ }, 'nothing waits for it')
  t.match(await run('feeds', 'pause', '1'), { exitCode: 0, out: 'Feed 1 is paused.' })
  t.match(JSON.parse((await run('feeds', 'resume', '1', '--json')).out), { id: 1, state: 'idle' })
  t.match(await run('feeds', 'add', 'sitemap', '--set', 'url=https://shop.example.com/sitemap.xml', '--name', 'Shop'), {
    exitCode: 0, out: /^Feed 2 \(sitemap\) is made/
  })
  for (const [args, says] of [
    [['nothing'], /The kind must be one of folder, git/], [['sitemap'], /url/], [['sitemap', '--set', 'url'], /name=value/],
    [['sitemap', '--set', 'url=http://127.0.0.1/'], /./], [['notion', '--secret-env', 'NOTION_KEY'], /NOTION_KEY is not set/],
    [['folder', '--set', 'path=/etc'], /AGENTHALL_FOLDERS/]
  ] as const) t.match(await run('feeds', 'add', ...args), { exitCode: 1, note: says }, args.join(' '))
  env.NOTION_KEY = 'ntn_canary'
  t.match(await run('feeds', 'add', 'notion', '--secret-env', 'NOTION_KEY'), { exitCode: 0, out: /^Feed 3 \(notion\) is made/ })
  t.match(await run('feeds', 'remove', '2'), { exitCode: 0, out: 'Feed 2 is removed; its sources stay.' })
  for (const verb of ['approve', 'pause', 'resume', 'remove']) {
    t.match(await run('feeds', verb, '2'), { exitCode: 1, note: /Agent 1 has no feed 2/ }, verb)
  }
  const done = JSON.parse((await agenthall(['audit', 'list', '--json', '--data', directory])).out)
  t.strictSame([...new Set(done.map(({ action }: { action: string }) => action))].toSorted().filter((one) => /Feed/.test(String(one))), [
    'approveFeedRemoval', 'createFeed', 'deleteFeed', 'lookAtFeed', 'updateFeed'
  ])
})
