import '../../bare-children.ts'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../../src/data-file.ts'
import { client, cycles, scratch, seeded, serve } from '../tools/server.ts'

const WRITERS = 4
/** Operations of one cycle after which the server is killed at any point. */
const ASKED = 200

type Send = ReturnType<typeof client>
interface Kept { agent: number, id: number, word: string }

/** State shared by all writers of all cycles. `gone`: words whose deletion was acknowledged. */
interface World { agents: number[], kept: Kept[], gone: string[], done: number, words: number }

async function step (send: Send, world: World, random: () => number) {
  const pick = <T>(from: T[]) => from[Math.floor(random() * from.length)]!
  const what = random()
  const at = world.kept.length ? Math.floor(random() * world.kept.length) : -1
  if (what < 0.45 || at < 0) {
    const agent = pick(world.agents)
    const word = `quagga${(world.words++).toString(36).padStart(5, '0')}zq`
    const { status, body } = await send('POST', `/v1/agents/${agent}/knowledge_sources`, {
      plain_text: `${word} `.repeat(1 + Math.floor(random() * 400)).trim(), title: 'T', is_selected: random() < 0.8
    })
    if (status === 201) world.kept.push({ agent, id: body.data[0]!.id, word })
    else if (status !== 413) throw new Error(`${status}`)
    return
  }
  const one = world.kept[at]!
  const url = `/v1/agents/${one.agent}/knowledge_sources/${one.id}`
  if (what < 0.75) {
    world.kept.splice(at, 1)
    const { status } = await send('DELETE', url)
    if (status === 200) world.gone.push(one.word)
  } else if (what < 0.85) await send('POST', `${url}/train`)
  else if (what < 0.95) await send('PUT', url, { is_selected: random() < 0.5 })
  else await send('POST', `/v1/agents/${one.agent}/search`, { query: one.word })
}

t.test(
  'whenever the server is killed, counts stay sums, what was begun is finished, and nothing deleted is left',
  async (t) => {
    // `--cycles 50` gives the 10,000 operations and 50 kills.
    const count = cycles(4)
    t.setTimeout(60_000 + count * 90_000)
    const directory = scratch(t)
    const random = seeded(4)
    let key = ''
    const world: World = { agents: [], kept: [], gone: [], done: 0, words: 0 }
    for (let cycle = 0; cycle < count; cycle++) {
      const server = await serve(directory)
      t.teardown(() => server.child.kill('SIGKILL'))
      key = server.key ?? key
      const send = client(server.address, key)
      while (world.agents.length < 3) {
        world.agents.push((await send('POST', '/v1/agents/', { name: 'A', systemPrompt: 'B' })).body.data.id)
      }
      const until = world.done + ASKED
      await Promise.all(
        Array.from({ length: WRITERS }, async () => {
          while (world.done++ < until) {
            try {
              await step(send, world, random)
            } catch (error) {
              if (!server.child.killed) throw error
            }
            if (world.done === until - WRITERS) server.child.kill('SIGKILL')
          }
        })
      )
      await server.kill()
    }
    const server = await serve(directory)
    t.teardown(() => server.child.kill('SIGKILL'))
    const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
    const number = (sql: string) => raw.prepare(sql).pluck().get() as number
    for (
      let i = 0;
      i < 6000 &&
      number(
        "select (select count(*) from knowledge_sources where status in ('Pending', 'Processing')) + (select count(*) from blobs where state <> 'kept') + (select count(*) from trainings where state <> 'live')"
      );
      i++
    ) { await pause(100) }
    t.same(
      raw.prepare('select distinct coalesce(error, status) from knowledge_sources').pluck().all(),
      ['Success'],
      'every source is trained'
    )
    t.equal(
      number(
        'select count(*) from agents where total_training_usage_bytes <> (select coalesce(sum(total_training_usage_bytes), 0) from knowledge_sources where agent_id = agents.id and is_selected)'
      ),
      0,
      'counts are sums'
    )
    t.equal(number('select count(*) from blobs where id not in (select text_blob from knowledge_sources)'), 0)
    t.equal(number('select count(*) from blob_chunks where blob not in (select id from blobs)'), 0)
    t.equal(number('select count(*) from passage_groups where training not in (select id from trainings)'), 0)
    t.equal(number('select count(*) from trainings where source not in (select id from knowledge_sources)'), 0)
    t.equal(number('select count(*) from jobs where subject <> 0'), 0, 'but for what is done every day')
    t.equal(raw.pragma('integrity_check', { simple: true }), 'ok')
    t.equal(number("select count(*) from knowledge_events where data like '%quagga%'"), 0)
    t.ok(world.kept.every(({ id }) => number(`select count(*) from knowledge_sources where id = ${id}`) <= 1))
    t.comment(`${world.done} operations, ${count} kills, ${world.gone.length} deleted, ${world.kept.length} kept`)
    raw.close()
    await server.stop()
    const bytes =
      readFileSync(dataFile(directory), 'latin1') +
      (existsSync(`${dataFile(directory)}-wal`) ? readFileSync(`${dataFile(directory)}-wal`, 'latin1') : '')
    const found = new Set(bytes.match(/quagga[0-9a-z]{5}zq/g))
    t.same(
      world.gone.filter((word) => found.has(word)),
      [],
      `${world.gone.length} words that were deleted are nowhere in the bytes of the file`
    )
  }
)
