import '../bare-children.ts'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { newAgent } from '../../src/agents/draft.ts'
import { openStores } from '../../src/stores.ts'
import { PERMISSIONS } from '../../schema/access.ts'
import { draft, fixedClock } from '../helper.ts'
import { agenthall, serving } from './helper.ts'

/** A data directory with one user and one agent. */
async function withAgent (t: Test, files: Record<string, string | Buffer> = {}) {
  const root = t.testdir({ data: {}, ...files })
  const directory = path.join(root, 'data')
  const stores = await openStores({ directory, clock: fixedClock() })
  const { user, key } = await stores.access.createUser({ name: 'Ada', tier: 'enterprise' })
  const made = newAgent(
    draft, { response_model: 'm', display_model: 'M' }, { tier: 'enterprise', permissions: PERMISSIONS, ticketing: [] }
  )
  const { answer: { agent } } = await stores.agents.create(user.id, made)
  await stores.close()
  const knowledge = (verb: string, args: string[] = [], options = {}) =>
    agenthall(['knowledge', verb, '--agent', String(agent.id), '--data', directory, ...args], options)
  return { root, directory, key, agent: agent.id, knowledge }
}

t.test('without a server the command trains what it adds, and shows how far it is', async (t) => {
  const { root, knowledge } = await withAgent(t, {
    'returns.md': '# Returns\n\nReturns are free within thirty days.',
    'long.txt': Array.from(
      { length: 12_000 }, (_, i) => `Paragraph ${i} tells of shipping to island ${(i * 7919) % 1000}.`
    ).join('\n\n'),
    'broken.pdf': '%PDF-1.7\nnothing more'
  })
  const added = await knowledge(
    'add', ['returns.md', 'long.txt', 'broken.pdf'].map((name) => path.join(root, name)), { watched: true }
  )
  t.match(added, { exitCode: 1, note: /1 of 3 ended Failed/ })
  t.match(added.notes.find((note) => note.startsWith('broken.pdf')), /broken\.pdf: \w+\. .*\./, 'code and sentence')
  t.match(added.notes.find((note) => note.startsWith('returns.md')), /returns\.md: Success, \d+ bytes of text/)
  t.match(added.out, /ID +TITLE +TYPE +STATUS +ERROR +SELECTED +BYTES\n1 +returns\.md +docs +Success/)
  t.ok(added.progress.some((line) => /^\d of 3 {2}.*being read/.test(line)), 'it is read')
  t.ok(added.progress.some((line) => /long\.txt #*·* \d+ %/.test(line)), 'a bar shows how far it is')

  // Was wrong: it named commands that do not exist.
  t.match(await knowledge('search', ['free', '--limit', '0']), {
    exitCode: 1, note: '--limit must be a number, from 1 to 50.'
  })
  t.match(await agenthall(['knowledge', 'list', '--agent', 'x', '--data', path.join(root, 'data')]), {
    exitCode: 1, note: '--agent must be a number, as "npm run -s agenthall -- agents list" shows it.'
  })
  const found = await knowledge('search', ['free', 'returns', '--limit', '1'])
  t.match(found, { exitCode: 0, out: /^returns\.md \(source 1, Returns\), score \d+\.\d\d\n {2}Returns\n\s*\n {2}Returns are free/ })
  t.match(JSON.parse((await knowledge('search', ['--json', 'island'])).out), { length: 10 })
  t.match((await knowledge('search', ['xylophone'])).out, 'Nothing was found.')
  t.match(JSON.parse((await knowledge('list', ['--json'])).out), [
    { id: 1, status: 'Success' }, { title: 'long.txt' }, { status: 'Failed', error: { message: /./ } }
  ])

  const titled = await knowledge('add', [
    '--text', 'Opening hours: nine to five.', '--title', 'A title that is longer than a column of a table should be',
    '--folder', 'Root', '--json'
  ])
  t.match(titled, { exitCode: 0, note: /Success, 28 bytes/ })
  t.match(JSON.parse(titled.out), [{ id: 4, type: 'text', status: 'Success', total_training_usage_bytes: 28 }])
  t.match((await knowledge('list')).out, /A title that is longer than a column of…/)
  t.match(await knowledge('add', [path.join(root, 'returns.md'), '--folder', '1', '--title', 'Again']), {
    exitCode: 0, out: /5 +Again/
  })
})

t.test('beside a running server the server trains; when it is killed the command goes on alone', async (t) => {
  const { directory, key, agent, knowledge } = await withAgent(t)
  const { server, address } = await serving(t, directory)
  t.match(await knowledge('add', ['--text', 'Parcels to Iceland take nine days.']), {
    exitCode: 0, note: /Success, 34 bytes/
  })
  const answer = await fetch(`${address}/v1/agents/${agent}/search`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${key}`, 'content-type': 'application/json' },
    body: '{"query":"parcels to Iceland"}'
  })
  t.match(await answer.json(), { data: [{ text: 'Parcels to Iceland take nine days.' }] })
  t.match(await knowledge('add', ['--drive', 'abc']), { exitCode: 1, note: /google_drive_not_configured/ })

  // Stopped (SIGSTOP), it holds the data and does nothing; so it is killed while its work is waited for.
  server.kill('SIGSTOP')
  const waiting = knowledge('add', ['--text', 'Parcels to Norway take two days.'], { watched: true })
  setTimeout(() => server.kill('SIGKILL'), 500)
  await once(server, 'exit')
  t.match(await waiting, { exitCode: 0, note: /Success, 32 bytes/ })
})

t.test('a site is followed page by page', async (t) => {
  const { knowledge } = await withAgent(t)
  const page = (text: string) =>
    `<!doctype html><title>${text}</title><main><h1>${text}</h1><p>${`All about ${text} and more of it. `.repeat(20)}</p><a href="/second">on</a></main>`
  const site = createServer((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html').end(page(request.url === '/second' ? 'badgers' : 'otters'))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(() => { site.close() })
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
  const env = { AGENTHALL_ALLOWED_HOSTS: host }
  const added = await knowledge(
    'add',
    ['--url', `http://${host}/`, '--depth', '1', '--count', '5', '--refresh-hours', '24', '--exclude', '/third', '/fourth/*'],
    { env }
  )
  t.match(added, { exitCode: 0, note: /otters: Success[^]*badgers: Success/ })
  t.equal(added.out.split('\n').length, 4, 'the site and its two pages')
  t.match((await knowledge('search', ['badgers'])).out, new RegExp(`http://${host}/second`))
})

t.test('what cannot be added is refused in a sentence, and leaves nothing', async (t) => {
  const { root, directory, knowledge } = await withAgent(t, {
    'a.txt': 'Some text.', 'large.txt': 'x'.repeat(2 ** 20 + 1)
  })
  const file = path.join(root, 'a.txt')
  const cases: Array<[args: string[], note: RegExp]> = [
    [[], /Give one of/],
    [[file, '--text', 'x'], /Give one of/],
    [['--text', 'x', '--depth', '1'], /go with --url/],
    [[file, file, '--title', 'x'], /one file only/],
    [['--text', 'x', '--include', '/help/*'], /go with --url/],
    [['--url', 'http://x', '--include', 'help/*'], /--include must be .* begin with \//],
    [['--text', ''], /--text must not be blank/],
    [['--url', 'ftp://x'], /--url must be/],
    [['--url', 'http://x', '--count', 'many'], /--count must be a number/],
    [['--drive', '../x'], /--drive must be/],
    [['--text', 'x', '--folder', 'Nowhere'], /no folder Nowhere; it has Root \(1\)/],
    [[path.join(root, 'none')], /There is no file/],
    [[path.join(root, 'a.txt', 'x')], /There is no file/],
    [[path.join(root, 'large.txt')], /larger than the 1 MiB/]
  ]
  for (const [args, note] of cases) {
    t.match(await knowledge('add', args, { env: { AGENTHALL_UPLOAD_MIB: '1' } }), { exitCode: 1, note }, args.join(' '))
  }
  t.match(await knowledge('add', ['--text', 'Too much.'], { env: { AGENTHALL_TRAINING_LIMITS: '{"enterprise":5}' } }), {
    exitCode: 1, note: /would add 9 bytes/
  })
  t.match(await agenthall(['knowledge', 'list', '--agent', '77', '--data', directory]), {
    exitCode: 1, note: /There is no agent 77/
  })
  t.match(await knowledge('list'), { exitCode: 0, out: 'The agent has no sources yet.' })
})
