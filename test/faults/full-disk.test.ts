import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { client, scratch, serve } from './tools/server.ts'

const MIB = 2 ** 20
const unmountable = scratchDisk()

/** A separate disk of 160 MiB; a sentence when there can be none. */
function scratchDisk (): string | undefined {
  const directory = scratch(t)
  const { status, stderr, error } = spawnSync(
    'mount', ['-t', 'tmpfs', '-o', 'size=160m', 'agenthall-faults', directory], { encoding: 'utf8' }
  )
  if (status !== 0) return `no disk of its own can be mounted here: ${error?.message ?? stderr}`
  spawnSync('umount', [directory])
  return undefined
}

function mount (t: Tap): string {
  const directory = scratch(t)
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'agenthall-faults', directory])
  t.teardown(() => { spawnSync('umount', ['-l', directory]) })
  return directory
}

const free = (directory: string) => statfsSync(directory).bavail * statfsSync(directory).bsize

/** Another program fills the disk until this many bytes are free. */
function eat (disk: string, leave: number) {
  const file = path.join(disk, 'eaten')
  writeFileSync(file, '', { flag: 'a' })
  try {
    while (free(disk) > leave) appendFileSync(file, Buffer.alloc(Math.min(MIB, Math.max(4096, free(disk) - leave)), 1))
  } catch {
    // To the last byte.
  }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Creates agents, lets the disk fill up, and returns the server's responses. */
async function fill (t: Tap, planted?: string) {
  const disk = mount(t)
  const directory = path.join(disk, 'data')
  const server = await serve(directory, { planted })
  t.teardown(() => server.kill())
  const key = server.key!
  const send = client(server.address, key)
  const make = async (size = 2000) => send('POST', '/v1/agents/', { name: 'A', systemPrompt: 'x'.repeat(size) })
  const ids: number[] = []
  for (let i = 0; i < 100; i++) ids.push((await make()).body.data.id)
  return { disk, directory, server, key, send, make, ids }
}

t.test('a disk with little room refuses what grows, a full one still deletes, and room that returns is used at once', { skip: unmountable }, async (t) => {
  const { disk, directory, server, key, send, make, ids } = await fill(t)
  const ballast = path.join(directory, 'agenthall.ballast')
  t.ok(existsSync(ballast))
  eat(disk, 40 * MIB)
  await wait(1100)
  const low = await Promise.all(Array.from({ length: 20 }, () => make()))
  t.ok(
    low.every(({ status, body }) => status === 507 && body.error!.code === 'storage_full'),
    'below the floor every write that grows is refused'
  )
  t.equal((await send('GET', '/v1/agents/')).status, 200)
  t.equal((await send('DELETE', `/v1/agents/${ids.pop()}`)).status, 200)

  eat(disk, 0)
  t.equal(free(disk), 0)
  // All at once, before the server has checked the disk again.
  const full = await Promise.all([
    make(100_000), ...Array.from({ length: 5 }, () => make()), send('PUT', `/v1/agents/${ids[0]}`, { name: 'B' })
  ])
  t.same(new Set(full.map(({ status }) => status)), new Set([507]))
  const deleted = await Promise.all(ids.splice(0, 40).map((id) => send('DELETE', `/v1/agents/${id}`)))
  t.ok(deleted.every(({ status }) => status === 200), 'deletes work on a full disk')
  t.notOk(existsSync(ballast), 'with the room that the ballast gave up')
  eat(disk, 0)
  t.equal((await send('GET', '/v1/agents/')).status, 200, 'reads go on')

  await server.kill()
  rmSync(path.join(disk, 'eaten'))
  eat(disk, 20 * MIB)
  const second = await serve(directory)
  const again = client(second.address, key)
  t.equal(
    (
      (await again('GET', '/v1/agents/?page=1&limit=1')) as { body: unknown } & {
        body: { pagination?: { total: number } }
      }
    ).body.pagination?.total,
    ids.length,
    'what was acknowledged is there after a kill, and nothing else'
  )
  t.equal((await again('POST', '/v1/agents/', { name: 'A', systemPrompt: 'x' })).status, 507)

  rmSync(path.join(disk, 'eaten'))
  const returned = performance.now()
  let status = 507
  while (status === 507 && performance.now() - returned < 30_000) {
    status = (await again('POST', '/v1/agents/', { name: 'A', systemPrompt: 'x' })).status
  }
  const took = performance.now() - returned
  t.comment(`written again ${took.toFixed()} ms after the room returned`)
  t.equal(status, 201)
  t.ok(existsSync(ballast), 'the ballast is there again')
  t.same(readdirSync(directory).filter((name) => /partial|tmp/.test(name)), [])
  await second.kill()
})

t.test(
  'planted: a server without floor and ballast lets the disk fill up, and nothing can be deleted',
  { skip: unmountable },
  async (t) => {
    const { disk, server, send, make, ids } = await fill(t, 'careless')
    eat(disk, 40 * MIB)
    await wait(1100)
    t.equal((await make()).status, 201, 'it goes on writing below the floor')
    // A log that was written before has room for some deletes; a new one has none.
    const raw = new BetterSqlite3(dataFile(path.join(disk, 'data')))
    t.match(raw.pragma('wal_checkpoint(TRUNCATE)'), [{ busy: 0 }])
    raw.close()
    eat(disk, 0)
    // A server that crashes over it has not deleted either: the system kills it when there is no room for the index of
    // the log.
    const deleted = await Promise.all(
      ids.slice(0, 2).map((id) => send('DELETE', `/v1/agents/${id}`).catch(() => ({ status: 0 })))
    )
    const refused = deleted.filter(({ status }) => status !== 200).length
    t.comment(`${refused} of ${deleted.length} deletes refused`)
    t.ok(refused > 0)
    await server.kill()
  }
)

type Tap = Pick<typeof t, 'teardown'>
