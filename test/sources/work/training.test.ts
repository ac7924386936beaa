import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { SandboxError } from '../../../src/platform/process/sandbox.ts'
import { build } from '../../helper.ts'
import { agentOf, form, inProcess, leftovers, NOTHING_LEFT, serve, train, trainAll } from '../parts.ts'

const words = (word: string, times: number) =>
  Array.from({ length: times }, (_, i) => `${word} number ${i} stands here.`).join('\n\n')

/** Waits until it holds, a turn of the event loop at a time. */
async function until (holds: () => unknown) {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

t.test('a source deleted while it is trained leaves nothing, and gives nothing to the training that gets its number', async (t) => {
  // Was wrong without `ifWanted`: the passages of the deleted source were written into the other user's training, or
  // the server crashed.
  const built = await build(t)
  const [as, other] = [await built.user(), await built.user()]
  const [mine, theirs] = [await agentOf(as), await agentOf(other)]
  const doomed = await mine.add({ plain_text: words('Zebra', 9000) })
  let deleted = false
  let added: { id: number } | undefined
  const sandbox = inProcess()
  const worker = await train(t, built, {
    sandbox: {
      async * run (step) {
        for await (const said of sandbox.run(step)) {
          yield said
          if (deleted || !('passages' in (said as object))) continue
          deleted = true
          await as.delete(`${mine.sources}/${doomed.id}`)
          await until(() => built.stores.db.raw.prepare('select count(*) from trainings').pluck().get() === 0)
          added = await theirs.add({ plain_text: words('Giraffe', 500) })
          await until(() => built.stores.db.raw.prepare('select count(*) from trainings').pluck().get() === 1)
        }
      }
    }
  })
  await worker.settled()
  t.ok(deleted)
  t.match(await theirs.read(added!.id), { status: 'Success' })
  t.equal((await theirs.search('giraffe')).length, 10)
  t.same(await theirs.search('zebra'), [])
  t.equal(await mine.used(), 0)
  await worker.settled()
  t.same(leftovers(built), NOTHING_LEFT)
})

t.test('a website without the setting, and Drive without an account, fail with what to do', async (t) => {
  const built = await build(t)
  const { add, read } = await agentOf(await built.user())
  const site = await add({ urls: ['http://10.0.0.1/'] })
  const drive = await add({ google_drive_file_id: 'abc' })
  await trainAll(t, built)
  t.match(await read(site.id), {
    status: 'Failed', training_status: 'Failed', error: { code: 'address_refused', message: /\.$/, retryable: false }
  })
  t.match(await read(drive.id), {
    status: 'Failed',
    error: { code: 'google_drive_not_configured', message: /AGENTHALL_GOOGLE_SERVICE_ACCOUNT/, retryable: false }
  })
})

t.test('what can be tried again is, less and less often, and ends after five times', async (t) => {
  let status = 503
  const site = await serve(t, (request, reply) =>
    request.url === '/robots.txt'
      ? reply.writeHead(404).end()
      : reply
        .writeHead(status, { 'content-type': 'text/html' })
        .end('<title>Shop</title><main><p>The zebra eats grass.')
  )
  const built = await build(t)
  const as = await built.user()
  const { add, read, sources, search } = await agentOf(as)
  const [down, recovers] = [await add({ urls: [`${site}/down`] }), await add({ urls: [`${site}/up`], count: 3 })]
  const due = () =>
    built.stores.db.raw
      .prepare<[number], number>('select (due - ?) / 1000000 from jobs order by id limit 1')
      .pluck()
      .get(built.clock.micros())
  const waits: unknown[] = []
  for (let i = 0; i < 4; i++) {
    await trainAll(t, built)
    t.match(await read(down.id), { status: 'Pending', error: { code: 'http_status', retryable: true } })
    waits.push(due())
    built.clock.advance(2 ** i * 5000 - 1000)
    await trainAll(t, built)
    built.clock.advance(1000)
    if (i === 0) await as.delete(`${sources}/${recovers.id}`)
  }
  await trainAll(t, built)
  t.same(waits.map((wait) => Math.round(wait as number + 0.5)), [5, 10, 20, 40])
  t.match(await read(down.id), { status: 'Failed', error: { code: 'http_status', message: /503/, retryable: true } })
  status = 200
  await as.post(`${sources}/${down.id}/train`)
  await trainAll(t, built)
  t.match(await read(down.id), { status: 'Success', error: null, title: 'Shop', metadata: { format: 'html' } })
  status = 500
  await as.post(`${sources}/${down.id}/train`)
  for (let i = 0; i < 5; i++, built.clock.advance(100_000)) await trainAll(t, built)
  t.match(await read(down.id), { status: 'Failed' })
  t.equal((await search('zebra')).length, 1, 'what it knew answers on')
})

t.test('a fault of ours is logged, tried again, and ends the source after five times instead of never', async (t) => {
  // Was wrong: it was retried every minute indefinitely, and the source stayed in Processing.
  const built = await build(t)
  const as = await built.user()
  const { add, read } = await agentOf(as)
  const { id } = await add({ plain_text: 'Zebra' })
  const faults: unknown[] = []
  const sandbox = inProcess(() => { throw new TypeError('unforeseen') })
  for (let i = 0; i < 6; i++, built.clock.advance(3_600_000)) await trainAll(t, built, { sandbox, faults })
  t.equal(faults.length, 4)
  t.match(await read(id), { status: 'Failed', error: { code: 'internal_error', retryable: true } })
  t.same(leftovers(built), NOTHING_LEFT)
})

t.test('a reader that falls over is tried again, and the source says whose fault it was', async (t) => {
  // Was wrong: `damaged` and not retryable, at once.
  const built = await build(t)
  const { add, read } = await agentOf(await built.user())
  const { id } = await add({ plain_text: 'Ten euros.' })
  let falls = true
  const faults: unknown[] = []
  const sandbox = inProcess(() => { if (falls) throw new SandboxError('crashed', 'a bug') })
  await trainAll(t, built, { sandbox, faults })
  t.match(faults, [{ message: /a bug/ }], 'told to the operator')
  t.match(await read(id), {
    status: 'Pending', error: { code: 'reader_failed', retryable: true, message: /fault of ours/ }
  })
  falls = false
  built.clock.advance(5000)
  await trainAll(t, built, { sandbox })
  t.match(await read(id), { status: 'Success', error: null })
})

t.test(
  'a text that is replaced while it is trained is trained anew; of each owner three are under way at once',
  async (t) => {
    const built = await build(t)
    const [as, other] = [await built.user(), await built.user()]
    const [mine, theirs] = [await agentOf(as), await agentOf(other)]
    const ids = [
      await mine.add({ plain_text: 'Zebra 1', title: 'One' }),
      await mine.add({ plain_text: 'Zebra 2' }),
      await mine.add({ plain_text: 'Zebra 3' })
    ].map(({ id }) => id as number)
    await mine.add({ plain_text: 'Okapi' })
    await theirs.add({ plain_text: 'Giraffe' })
    let runs = 0
    let running = 0
    let most = 0
    const plain = inProcess()
    const sandbox = {
      async * run (step: Parameters<typeof plain.run>[0]) {
        most = Math.max(most, ++running)
        const run = ++runs
        try {
          // None is done before the maximum number have begun.
          await until(() => most >= 4)
          for await (const said of plain.run(step)) {
            if (run === 1 && 'about' in (said as object)) {
              await as.put(`${mine.sources}/${ids[0]}`, { plain_text: 'Lion' })
            }
            yield said
          }
        } finally {
          running--
        }
      }
    }
    await trainAll(t, built, { sandbox })
    t.equal(most, 4, 'the fourth of one owner waits, and does not keep the other owner waiting')
    t.equal(runs, 6, 'the replaced one twice')
    t.same([(await mine.search('zebra')).length, (await mine.search('lion')).length], [2, 1])
    t.match(await mine.read(ids[0]!), { status: 'Success', plain_text: 'Lion', total_training_usage_bytes: 4 })
    t.same(leftovers(built), NOTHING_LEFT)
  }
)

// Was wrong with what a stopped worker had leased left to it for a minute.
t.test('work that is stopped at any of its answers is done at the next start, and nothing is left of the first try', async (t) => {
  const built = await build(t)
  const { add, read, search } = await agentOf(await built.user())
  for (let stopAt = 1; stopAt <= 3; stopAt++) {
    const { id } = await add({ plain_text: words(`Zebra${stopAt}`, 4400) })
    const plain = inProcess()
    let said = 0
    let stopped: Promise<void> | undefined
    const started = Promise.withResolvers<Awaited<ReturnType<typeof train>>>()
    started.resolve(await train(t, built, {
      sandbox: {
        async * run (step) {
          for await (const one of plain.run(step)) {
            yield one
            if (++said === stopAt) stopped = (await started.promise).stop()
          }
        }
      }
    }))
    await until(() => stopped !== undefined)
    await stopped
    t.match(await read(id), { status: 'Processing' })
    await trainAll(t, built)
    t.match(await read(id), { status: 'Success' })
    t.ok((await search(`zebra${stopAt}`)).length)
    t.same(leftovers(built), NOTHING_LEFT, `stopped at ${stopAt}`)
  }
})

t.test('a file that turns out too large for the agent fails, and nothing of it is counted', async (t) => {
  const built = await build(t, { AGENTHALL_TRAINING_LIMITS: '{"enterprise":20}' })
  const as = await built.user()
  const { sources, read, used, search } = await agentOf(as)
  const [body, headers] = form(
    { name: 'file', file: 'a.txt', body: 'Zebra '.repeat(10) },
    { name: 'file', file: 'b.txt', body: 'A small zebra.' }
  )
  const [large, small] = (await as.post(sources, body, headers)).json().data
  await trainAll(t, built)
  t.match(await read(large.id), {
    status: 'Failed',
    total_training_usage_bytes: 0,
    error: { code: 'training_limit_exceeded', message: /20/, retryable: false }
  })
  t.match(await read(small.id), { status: 'Success', total_training_usage_bytes: 14 })
  t.same([await used(), (await search('zebra')).length], [14, 1])
  t.same(leftovers(built), NOTHING_LEFT)
})

// Was wrong with the pages of a deleted site left, and with the text of a removed page still found.
t.test('a site becomes its pages, and each look again only what changed', async (t) => {
  const pages: Record<string, string | undefined> = { '/': 'Start', '/a': 'Zebra', '/b': 'Lion', '/c': 'Giraffe' }
  const links = { current: ['/a', '/b', '/c'] }
  let status: Record<string, number> = {}
  const asked: string[] = []
  const site = await serve(t, (request, reply) => {
    const url = request.url!
    if (url === '/robots.txt') return reply.end('User-agent: *\nDisallow: /secret\n')
    asked.push(url)
    if (url === '/sitemap.xml') {
      return reply
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(
          `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${['/a', '/b'].map((page) => `<url><loc>http://${request.headers.host}${page}</loc></url>`).join('')}</urlset>`
        )
    }
    if (status[url] || pages[url] === undefined) return reply.writeHead(status[url] ?? 404).end()
    const etag = `"${pages[url]}${url === '/' ? links.current : ''}"`
    if (request.headers['if-none-match'] === etag) return reply.writeHead(304, { etag }).end()
    reply
      .writeHead(200, { 'content-type': 'text/html', etag })
      .end(
        `<title>${url}</title><main><p>${pages[url]} lives here.</p>${url === '/' ? [...links.current, '/secret'].map((link) => `<a href="${link}">${link}</a>`).join(' ') : ''}</main>`
      )
  })
  const built = await build(t)
  const as = await built.user()
  const { add, read, list, search, sources, used, at } = await agentOf(as)
  const parent = await add({ urls: [`${site}/`], count: 10, refresh_hours: 24 })
  await trainAll(t, built)
  const children = async () => (await list()).filter((one) => one.parent_knowledge_source === parent.id)
  const paths = async () => (await children()).map(({ urls, status }) => `${urls[0].replace(site, '')} ${status}`)
  t.same(await paths(), ['/ Success', '/a Success', '/b Success', '/c Success'])
  t.match(await read(parent.id), {
    status: 'Success',
    sub_urls: ['/', '/a', '/b', '/c'].map((path) => site + path),
    metadata: { no_of_pages: 4 },
    total_training_usage_bytes: 0,
    title: '/'
  })
  t.match(await search('zebra'), [{ url: `${site}/a`, title: '/a', type: 'website' }])
  const [, a, b] = await children()
  await as.put(`${sources}/${b!.id}`, { is_selected: false })

  // Nothing has changed: nothing is trained.
  asked.length = 0
  built.clock.advance(24 * 3_600_000 + 60_000)
  let trained = 0
  await trainAll(t, built, { sandbox: inProcess(() => { trained++ }) })
  t.equal(asked.length, 4, 'looked at again by the clock')
  t.same([trained, (await children())[2]!.is_selected], [0, false], 'and what was deselected stays so')

  // One is changed, one is no longer linked, one answers 404, and one is new.
  pages['/a'] = 'Leopard'
  pages['/d'] = 'Koala'
  links.current = ['/a', '/b', '/d']
  status = { '/b': 404 }
  await as.put(`${sources}/${b!.id}`, { is_selected: true })
  const again = async () => {
    await as.post(`${sources}/${parent.id}/train`)
    await trainAll(t, built)
  }
  await again()
  t.same(await paths(), ['/ Success', '/a Success', '/b Failed', '/d Success'])
  t.same(
    [await search('zebra'), await search('giraffe'), await search('lion')],
    [[], [], []],
    'what is gone does not answer'
  )
  t.equal((await search('leopard')).length, 1)

  // It is back, as it was: read again, since nothing of it is remembered.
  status = {}
  await again()
  t.match(await read(b!.id), { status: 'Success', error: null })
  t.equal((await search('lion')).length, 1)

  // The start page does not respond once: nothing is removed for that.
  status = { '/a': 503 }
  links.current = ['/a', '/b']
  await again()
  t.same(await paths(), ['/ Success', '/a Pending', '/b Success', '/d Success'])
  t.match(await read(a!.id), { error: { code: 'http_status', retryable: true } })
  t.equal((await search('leopard')).length, 1, 'what it said answers on')
  status = {}
  built.clock.advance(5001)
  await trainAll(t, built)
  t.match(await read(a!.id), { status: 'Success', error: null }, 'it is tried again by itself')
  await again()
  t.same(await paths(), ['/ Success', '/a Success', '/b Success'])

  // A page that cannot be read holds nothing back for the next look.
  pages['/a'] = ''
  await again()
  const folder = (await as.post(`${at}/knowledge_folders`, { name: 'Web' })).json().data.id
  await as.put(`${sources}/${parent.id}`, { agent_knowledge_folder: folder })
  t.ok((await children()).every((one) => one.agent_knowledge_folder === folder), 'pages go with their site')
  t.equal(await used(), (await list()).reduce((sum, one) => sum + one.total_training_usage_bytes, 0))

  // One page again, then a sitemap.
  await as.put(`${sources}/${parent.id}`, { count: 1, depth: 0 })
  await trainAll(t, built)
  t.match(await read(parent.id), { status: 'Success', sub_urls: null })
  t.same(await paths(), [])
  t.equal((await search('start')).length, 1)
  await as.put(`${sources}/${parent.id}`, { count: 10 })
  await trainAll(t, built)
  t.match(await read(parent.id), { total_training_usage_bytes: 0 })
  t.equal((await search('start')).length, 1, 'once, not by the site and by its page')
  const map = await add({ urls: [`${site}/sitemap.xml`], count: 5, depth: 1 })
  await trainAll(t, built)
  t.same(
    (await list()).filter((one) => one.parent_knowledge_source === map.id).map(({ urls }) => urls[0]),
    [`${site}/a`, `${site}/b`]
  )
  await as.post(`${sources}/${a!.id}/train`)
  for (const { id } of [parent, map]) await as.delete(`${sources}/${id}`)
  await trainAll(t, built)
  t.same([await list(), await used(), leftovers(built)], [[], 0, NOTHING_LEFT])
})

t.test('a site deleted or asked for anew while it is read gives nothing more', async (t) => {
  let deleted: Promise<unknown> | undefined
  const site = await serve(t, async (request, reply) => {
    if (request.url === '/robots.txt') return reply.writeHead(404).end()
    if (request.url === '/3') deleted ??= as.delete(`${sources}/${id}`)
    await deleted
    const next = Number(request.url!.slice(1)) + 1
    reply
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>${next}</title><main><p>Zebra ${next}.</p><a href="/${next}">on</a></main>`)
  })
  const built = await build(t)
  const as = await built.user()
  const { add, sources, list } = await agentOf(as)
  const { id } = await add({ urls: [`${site}/0`], count: 50, depth: 10 })
  await trainAll(t, built)
  t.ok(deleted)
  t.same([await list(), leftovers(built)], [[], NOTHING_LEFT])
})

t.test('a Drive file is read, a folder becomes its files, and what has not changed costs nothing', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
  const files: Record<string, { name: string, mimeType: string, md5Checksum: string, body?: string }> = {
    one: { name: 'Returns.txt', mimeType: 'text/plain', md5Checksum: '1', body: 'The zebra eats grass.' },
    two: { name: 'Prices.csv', mimeType: 'text/csv', md5Checksum: '2', body: 'animal,price\nlion,10\n' },
    shop: { name: 'Shop', mimeType: 'application/vnd.google-apps.folder', md5Checksum: '' }
  }
  let downloads = 0
  const google = await serve(t, (request, reply) => {
    const url = new URL(request.url!, 'http://x')
    const json = (value: unknown) =>
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/token') return json({ access_token: 'token', expires_in: 3600 })
    const id = url.pathname.split('/')[2]
    if (id === undefined) return json({ files: ['one', 'two'].map((id) => ({ id, ...files[id] })) })
    if (url.searchParams.get('alt') !== 'media') return json({ id, ...files[id] })
    downloads++
    reply.writeHead(200, { 'content-type': files[id]!.mimeType }).end(files[id]!.body)
  })
  const accountFile = `${t.testdir({})}/account.json`
  writeFileSync(
    accountFile,
    JSON.stringify({
      type: 'service_account',
      client_email: 'a@b.test',
      private_key: privateKey,
      private_key_id: '1',
      token_uri: `${google}/token`
    })
  )
  const built = await build(t, {}, { directory: t.testdir({ data: {} }) + '/data' })
  writeFileSync(accountFile, JSON.stringify({ type: 'service_account', client_email: 'a@b.test', private_key: privateKey, private_key_id: '1', token_uri: `${google}/token` }))
  const as = await built.user()
  const { add, read, list, search, sources } = await agentOf(as)
  const [file, folder] = [await add({ google_drive_file_id: 'one' }), await add({ google_drive_file_id: 'shop' })]
  const options = { accountFile, api: google }
  await trainAll(t, built, options)
  t.match(await read(file.id), {
    status: 'Success', title: 'Returns.txt', metadata: { format: 'text', file_size: '21B' }
  })
  t.match(await read(folder.id), { status: 'Success', sub_urls: ['one', 'two'] })
  t.match(
    (await list()).filter((one) => one.parent_knowledge_source === folder.id),
    [
      { google_drive_file_id: 'one', status: 'Success' },
      { google_drive_file_id: 'two', title: 'Prices.csv', status: 'Success', metadata: { no_of_rows: 1 } }
    ]
  )
  t.equal((await search('lion')).length, 1)
  downloads = 0
  files.two = { ...files.two!, md5Checksum: '3', body: 'animal,price\nkoala,10\n' }
  for (const { id } of [file, folder]) await as.post(`${sources}/${id}/train`)
  await trainAll(t, built, options)
  t.same([downloads, (await search('lion')).length, (await search('koala')).length], [1, 0, 1])
  t.same(leftovers(built), NOTHING_LEFT)
})
