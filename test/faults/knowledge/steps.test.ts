import '../../bare-children.ts'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3, { type Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import { SEALED_BYTES } from '../../../src/platform/storage/secrets.ts'
import { dataFile } from '../../../src/data-file.ts'
import { client, scratch, serve, type Server } from '../tools/server.ts'

type Send = ReturnType<typeof client>

/**
 * How long a server may take to reach the point where it is killed, and to finish what it had begun: longer than any
 * machine takes.
 */
const PATIENCE_MS = 240_000

async function until (what: string, holds: () => unknown) {
  for (const end = performance.now() + PATIENCE_MS; !holds(); await pause(1)) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
  }
}

/** This many paragraphs, each with its own word, short enough that no two passages share one. */
const paragraphs = (word: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${word}${i}zq stands in the reed and looks at the water.`)
const page = (...paragraphs: string[]) =>
  `<!doctype html><title>Page</title><main>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</main>`

/** A little text in this many tags, so that reading them takes a child a second. */
const slowPage = (word: string) =>
  Buffer.from(page(...paragraphs(word, 400)).replaceAll('</p>', '</p>' + '<i><b></b></i>'.repeat(500)))

/**
 * A site, and an embeddings service, on loopback. The request that `hold` names is answered partly the first time, and
 * never finished; `isHeld` says that it was requested.
 */
async function outside (t: Test) {
  const held = new Map<string, boolean>()
  const isHeld = (path: string) => held.get(path) === true
  const begun = (path: string, reply: ServerResponse, text: string) => {
    held.set(path, true)
    if (text) reply.write(text)
  }
  const site = createServer(async (request, reply) => {
    const path = request.url!
    const body = (await request.toArray()).join('')
    if (path === '/robots.txt') return reply.writeHead(404).end()
    if (path === '/v1/embeddings') {
      const { input } = JSON.parse(body) as { input: string[] }
      // The first of them are stored by then.
      const isFirst = input.some((text) => text.includes('merle0zq'))
      if (!isFirst && held.get(path) === false) return begun(path, reply, '')
      return reply.end(JSON.stringify({ data: input.map((_text, index) => ({ index, embedding: [1, 0, 0] })) }))
    }
    reply.setHeader('content-type', 'text/html')
    const links = path === '/site/' ? [1, 2, 3, 4].map((n) => `<a href="/site/${n}">${n}</a>`).join(' ') : ''
    const text = page(...paragraphs(path.replaceAll(/\W/g, ''), 30)) + links
    if (held.get(path) === false) return begun(path, reply, path === '/half' ? text.slice(0, 500) : '')
    reply.end(text)
  }).listen(0, '127.0.0.1')
  t.teardown(() => site.close().closeAllConnections())
  await once(site, 'listening')
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
  return { host, isHeld, hold: (path: string) => { held.set(path, false) } }
}

/** What a step may do and see. */
interface Sight {
  at: string
  send: Send
  upload (name: string, bytes: Uint8Array): Promise<number>
  number (sql: string): number
  /** Milliseconds of CPU time that the server's children have used in total. */
  childMs (): number
}

/**
 * A step of a training at which the server is killed. `begin` requests the work and names its source; `isReached` is
 * what the file shows then, `isRunning` what only the live process does. Once all is done `words` are found, and what
 * begins with `gone` is not.
 */
interface Step {
  name: string
  begin (sight: Sight): Promise<number>
  isReached (sight: Sight, id: number): boolean
  isRunning? (sight: Sight): boolean
  words: string[]
  gone?: string
}

/** CPU time is reported in hundredths of a second. */
function childMs ({ pid }: { pid?: number | undefined }): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return children.reduce((sum, child) => {
    if (!existsSync(`/proc/${child}/stat`)) return sum
    const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10
  }, 0)
}

const first = (word: string, count: number) => [0, count >> 1, count - 1].map((i) => `${word}${i}zq`)
const add = async ({ send, at }: Sight, body: object) =>
  (await send('POST', `${at}/knowledge_sources`, body)).body.data[0]!.id
const status = (id: number) => `(select status from knowledge_sources where id = ${id})`

/** A text that is already trained, and is then replaced by another. */
const replaced = (word: string, count: number): Pick<Step, 'begin' | 'words' | 'gone'> => ({
  async begin (sight) {
    const id = await add(sight, { plain_text: paragraphs(`old${word}`, count).join('\n\n') })
    await until('the old text is trained', () => sight.number(`select ${status(id)} = 'Success'`))
    await sight.send('PUT', `${sight.at}/knowledge_sources/${id}`, { plain_text: paragraphs(word, 3000).join('\n\n') })
    return id
  },
  words: first(word, 3000),
  gone: `old${word}`
})

const staged = (id: number) => `from trainings where source = ${id} and state = 'staged'`
const removed = (id: number) => `from trainings where source = ${id} and state = 'removed'`
/** How many passages of these trainings are in the file. */
const passages = (trainings: string) =>
  `(select coalesce(sum(passages), 0) from passage_groups where training in (select id ${trainings}))`

function steps ({ host, hold, isHeld }: Awaited<ReturnType<typeof outside>>): Step[] {
  const fetching = (path: string, name: string): Step => ({
    name,
    begin (sight) {
      hold(`/${path}`)
      return add(sight, { urls: [`http://${host}/${path}`] })
    },
    isReached: ({ number }, id) => isHeld(`/${path}`) && number(`select ${status(id)} = 'Processing'`) === 1,
    words: first(path, 30)
  })
  return [
    fetching('slow', 'while a page is fetched that does not answer'),
    fetching('half', 'in the middle of a page'),
    {
      name: 'between the pages of a site',
      begin (sight) {
        hold('/site/3')
        return add(sight, { urls: [`http://${host}/site/`], count: 5, depth: 1 })
      },
      isReached: ({ number }, id) =>
        isHeld('/site/3') && number(`select count(*) from knowledge_sources where parent_id = ${id}`) >= 2,
      words: ['site0zq', 'site129zq', 'site30zq', 'site415zq']
    },
    {
      name: 'while the child reads',
      begin: ({ upload }) => upload('slow.html', slowPage('egret')),
      isReached: ({ number }, id) =>
        number(`select ${status(id)} = 'Processing' and not exists (select 1 from trainings where source = ${id})`) ===
        1,
      isRunning: ({ childMs }) => childMs() >= 600,
      words: first('egret', 400)
    },
    {
      name: 'while the text is written',
      begin: ({ upload }) => upload('text.txt', Buffer.from(paragraphs('stork', 60_000).join('\n\n'))),
      isReached: ({ number }, id) =>
        number("select count(*) from blob_chunks join blobs on blobs.id = blob where state = 'staged'") >= 2 &&
        number(`select count(*) ${staged(id)}`) === 1,
      words: first('stork', 60_000)
    },
    {
      name: 'while passages are written',
      begin: (sight) => add(sight, { plain_text: paragraphs('crane', 60_000).join('\n\n') }),
      isReached: ({ number }, id) => number(`select ${passages(staged(id))}`) > 500,
      words: first('crane', 60_000)
    },
    {
      name: 'while passages are written beside the old ones',
      ...replaced('ibis', 3000),
      isReached: ({ number }, id) => number(`select ${passages(staged(id))}`) > 20
    },
    {
      name: 'as the new text takes the place of the old',
      ...replaced('rail', 20_000),
      isReached: ({ number }, id) =>
        number(`select count(*) ${removed(id)}`) === 1 && number(`select ${status(id)} = 'Success'`) === 1
    },
    {
      name: 'while the old text is wiped',
      ...replaced('coot', 20_000),
      isReached: ({ number }, id) =>
        number(`select (select passages ${removed(id)}) > 100 + ${passages(removed(id))}`) === 1
    },
    {
      name: 'between the embeddings of two batches of passages',
      begin (sight) {
        hold('/v1/embeddings')
        return add(sight, { plain_text: paragraphs('merle', 3000).join('\n\n') })
      },
      isReached: ({ number }, id) =>
        isHeld('/v1/embeddings') &&
        number(
          `select count(*) from passage_vectors v join trainings t on v.first between t.first and t.first + t.passages - 1 where source = ${id}`
        ) >= 4,
      words: first('merle', 3000)
    }
  ]
}

/** How much is left in a file at rest of what should be empty. */
const LEFTOVERS = {
  'sources that are not Success':
    "select count(*) from knowledge_sources where status <> 'Success' or error is not null",
  jobs: 'select count(*) from jobs where subject <> 0',
  'counts that are no sums':
    'select count(*) from agents where total_training_usage_bytes <> (select coalesce(sum(total_training_usage_bytes), 0) from knowledge_sources where agent_id = agents.id and is_selected)',
  'counts that are no lengths': `select count(*) from knowledge_sources where text_blob is not null and total_training_usage_bytes <> (select sum(octet_length(data) - ${SEALED_BYTES}) from blob_chunks where blob = text_blob)`,
  'blobs of nobody':
    "select count(*) from blobs where state <> 'kept' or id not in (select text_blob from knowledge_sources where text_blob is not null union select file_blob from knowledge_sources where file_blob is not null)",
  'chunks of nobody': 'select count(*) from blob_chunks where blob not in (select id from blobs)',
  'secrets of nobody':
    'select (select coalesce(sum(live), 0) from secret_pages) - (select count(secret) from blobs) - (select count(secret) + count(words_secret) from trainings) - (select count(*) from agent_versions)',
  'trainings of nobody':
    "select count(*) from trainings where state <> 'live' or source not in (select id from knowledge_sources)",
  'passages of nobody': 'select count(*) from passage_groups where training not in (select id from trainings)',
  'trainings without their passages':
    'select count(*) from trainings where passages <> (select coalesce(sum(passages), 0) from passage_groups where training = trainings.id)',
  'vectors of nobody': 'select count(*) from passage_vectors where first not in (select first from passage_groups)',
  'passages without a vector':
    'select count(*) from passage_groups where first not in (select first from passage_vectors)'
}

// Was wrong without `blobs.abandonStaged()`, without `index.abandon()`, with jobs left to the dead process until their
// leases ended, and with the bytes counted separately from what is published.
t.test('killed at any step of a training, the server trains to the end once it is started again: found once, counted once, nothing left over', async (t) => {
  t.setTimeout(1_800_000)
  const directory = scratch(t)
  const world = await outside(t)
  const env = {
    AGENTHALL_ALLOWED_HOSTS: world.host,
    AGENTHALL_EMBEDDINGS_URL: `http://${world.host}/v1`,
    AGENTHALL_EMBEDDINGS_DIMENSIONS: '3'
  }
  const start = async () => {
    const server = await serve(directory, { env })
    t.teardown(() => server.child.kill('SIGKILL'))
    return server
  }
  let server: Server = await start()
  const key = server.key!
  const agent = (await client(server.address, key)('POST', '/v1/agents/', { name: 'A', systemPrompt: 'B' })).body.data
    .id
  const raw: Database = new BetterSqlite3(dataFile(directory), { readonly: true })
  t.teardown(() => raw.close())
  const number = (sql: string) => raw.prepare(sql).pluck().get() as number
  const at = `/v1/agents/${agent}`
  const rest = () =>
    until(
      'all is trained and wiped',
      () =>
        number(
          "select (select count(*) from jobs where subject <> 0) + (select count(*) from trainings where state <> 'live') + (select count(*) from blobs where state <> 'kept')"
        ) === 0
    )

  for (const { name, begin, isReached, isRunning = () => true, words, gone } of steps(world)) {
    const sight: Sight = {
      at,
      number,
      send: client(server.address, key),
      childMs: () => childMs(server.child),
      async upload (name, bytes) {
        const body = new FormData()
        body.append('file', new Blob([new Uint8Array(bytes)]), name)
        const answer = await fetch(`${server.address}${at}/knowledge_sources`, {
          method: 'POST', body, headers: { authorization: `Api-Key ${key}` }
        })
        return (await answer.json() as { data: Array<{ id: number }> }).data[0]!.id
      }
    }
    const id = await begin(sight)
    await until(name, () => isReached(sight, id) && isRunning(sight))
    server.child.kill('SIGKILL')
    await server.ended
    t.ok(isReached(sight, id), `killed ${name}`)
    const began = performance.now()
    const leased = number('select coalesce(max(leased_until), 0) from jobs')
    server = await start()
    await until(
      'what the dead process had begun is free',
      () => number(`select count(*) from jobs where leased_until between 1 and ${leased}`) === 0
    )
    if (leased) {
      t.ok(
        Date.now() * 1000 < leased,
        `${name}: what the dead process had begun does not wait until its lease has run out`
      )
    }
    await rest()
    const took = performance.now() - began

    t.equal(number(`select ${status(id)} = 'Success'`), 1, `${name}: trained`)
    const left = Object.entries(LEFTOVERS).map(([what, sql]) => [what, number(sql)])
    t.same(left.filter(([, count]) => count !== 0), [], `${name}: nothing left over`)
    const search = async (query: string) =>
      (await client(server.address, key)('POST', `${at}/search`, { query, limit: 50 })).body.data as unknown as Array<{
        text: string
      }>
    for (const word of words) {
      t.equal(
        (await search(word)).filter(({ text }) => text.includes(word)).length, 1, `${name}: ${word} is found once`
      )
    }
    if (gone) {
      t.equal(
        (await search(`${gone}0zq`)).filter(({ text }) => text.includes(gone)).length,
        0,
        `${name}: ${gone} is not found`
      )
    }
    t.comment(`killed ${name}: at rest ${(took / 1000).toFixed(1)} s after the next start was asked for`)
  }
  t.equal(raw.pragma('integrity_check', { simple: true }), 'ok')
  await server.stop()
})
