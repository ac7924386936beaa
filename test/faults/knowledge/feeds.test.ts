import '../../bare-children.ts'
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { client, cycles, scratch, seeded, serve } from '../tools/server.ts'

/** Files that nobody touches, and files that are changed, moved and removed. */
const [STILL, MOVING] = [12, 30]

type Send = ReturnType<typeof client>
interface Source { id: number, origin_key: string, training_status: string }

/** A folder with random writes, and its contents. */
function folder (place: string, random: () => number) {
  const files = new Map<string, string>()
  let made = 0
  const write = (name: string, text: string) => {
    const file = path.join(place, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    // A file just written waits until it is quiet.
    const when = 1_600_000_000 + ++made
    utimesSync(file, when, when)
    files.set(name, text)
  }
  for (let i = 0; i < STILL; i++) write(`still/${i}.md`, `Still ${i} says something.`)
  for (let i = 0; i < MOVING; i++) write(`moving/${i}.md`, `Moving ${i} says something.`)
  return {
    files,
    step () {
      const all = [...files.keys()].filter((name) => name.startsWith('moving/'))
      const one = all[Math.floor(random() * all.length)]!
      const what = random()
      if (what < 0.4) return write(one, `Changed ${made} times.`)
      if (what < 0.65) return write(`moving/new-${made}.md`, `New, the ${made}th.`)
      const to = `moving/${made++}/moved.md`
      if (what < 0.9) {
        mkdirSync(path.dirname(path.join(place, to)), { recursive: true })
        renameSync(path.join(place, one), path.join(place, to))
        files.set(to, files.get(one)!)
      } else rmSync(path.join(place, one))
      files.delete(one)
    }
  }
}

async function sourcesOf (send: Send): Promise<Source[]> {
  const all: Source[] = []
  for (let page = 1; ; page++) {
    const some = (await send('GET', `/v1/agents/1/knowledge_sources?limit=100&page=${page}`)).body.data as unknown as Source[]
    all.push(...some)
    if (some.length < 100) return all
  }
}

/** Looks until the sources match the folder; a person approves removals at once. */
async function followed (send: Send, files: ReadonlyMap<string, string>) {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await send('GET', '/v1/agents/1/feeds/1')
    const { state, awaiting_removal: waiting } = body.data as unknown as { state: string, awaiting_removal: number }
    if (waiting > 0) await send('POST', '/v1/agents/1/feeds/1/approve_removal')
    const all = await sourcesOf(send)
    const isThere = all.length === files.size && all.every(({ origin_key: key }) => files.has(key))
    if (isThere && tries > 0 && all.every(({ training_status: status }) => status === 'Success')) return all
    if (state === 'idle' && (!isThere || tries === 0)) await send('POST', '/v1/agents/1/feeds/1/look')
    await pause(250)
  }
  throw new Error('The sources are not the folder.')
}

/** Resolves when something exists and stays unchanged. */
async function learnt (send: ReturnType<typeof client>) {
  while (!(await sourcesOf(send)).some(({ origin_key: name }) => name.startsWith('still/'))) await pause(50)
}

t.test('kill -9 wherever a look is: nothing is unlearnt, nothing is there twice, and in the end the sources are the folder', async (t) => {
  t.setTimeout(300_000 + cycles(6) * 10_000)
  const root = scratch(t)
  const [data, docs] = [path.join(root, 'data'), path.join(root, 'docs')]
  const random = seeded(24)
  const there = folder(docs, random)
  const env = { AGENTHALL_FOLDERS: docs }
  let key = ''
  let still = new Map<string, number>()
  for (let kills = 0; kills < cycles(6); kills++) {
    const server = await serve(data, { env })
    t.teardown(() => server.child.kill('SIGKILL'))
    key = server.key ?? key
    const send = client(server.address, key)
    if (kills === 0) {
      await send('POST', '/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })
      await send('POST', '/v1/agents/1/feeds', { name: 'Docs', kind: 'folder', config: { path: docs } })
    }
    const now = await sourcesOf(send)
    t.equal(new Set(now.map(({ origin_key: name }) => name)).size, now.length, 'nothing is there twice')
    const found = new Map(now.map(({ origin_key: name, id }) => [name, id]))
    for (const [name, id] of still) t.equal(found.get(name), id, `${name} is still the source that it was`)
    still = new Map([...found].filter(([name]) => name.startsWith('still/')))
    for (let edits = 0; edits < 8; edits++) there.step()
    await send('POST', '/v1/agents/1/feeds/1/look')
    await pause(100 + random() * 900)
    // Once at least something exists by then, however slow the machine is: otherwise the kills would show nothing.
    if (kills === 2) await learnt(send)
    await server.kill()
  }
  const server = await serve(data, { env })
  t.teardown(() => server.child.kill('SIGKILL'))
  const send = client(server.address, key)
  const all = await followed(send, there.files)
  t.ok(still.size > 0, 'some of it was learnt between the kills')
  for (const { id, origin_key: name } of all) {
    if (still.has(name)) t.equal(id, still.get(name))
    const answer = await fetch(`${server.address}/v1/agents/1/knowledge_sources/${id}/text`, {
      headers: { authorization: `Api-Key ${key}` }
    })
    t.equal(await answer.text(), there.files.get(name), name)
  }
  await server.stop()
})
