import pg from 'pg'
import { dataFile } from '../../src/data-file.ts'
import { moveToPostgres } from '../../src/platform/storage/moving/between.ts'
import { as, draft, seededAnew } from './data.ts'
import { inTurns, type Load } from './drive.ts'
import { ms, rate, times, type Line, type Thoroughness } from './report.ts'
import { agenthall, type Server } from './servers.ts'

/** What is asked of both, by name: the request and how many ask at once. */
const ASKED: Record<string, Pick<Load, 'requests' | 'connections'> & { status: number }> = {
  'read an agent': { requests: [{ method: 'GET', path: '/v1/agents/1', headers: as(1) }], connections: 16, status: 200 },
  'list 20 agents': { requests: [{ method: 'GET', path: '/v1/agents?limit=20', headers: as(1) }], connections: 16, status: 200 },
  'create an agent': {
    requests: [
      { method: 'POST', path: '/v1/agents/', headers: { ...as(2), 'content-type': 'application/json' }, body: JSON.stringify(draft) }
    ],
    connections: 64,
    status: 201
  }
}

/**
 * The same tables in a file and in PostgreSQL, which is asked for at TEST_POSTGRES: how much is answered in a
 * second. Nothing without that address.
 */
export async function engines (how: Thoroughness): Promise<Line[]> {
  const server = process.env.TEST_POSTGRES
  if (!server) return []
  const database = new URL(server)
  database.pathname = '/agenthall_bench'
  await anew(server, 'agenthall_bench')
  const directory = await seededAnew('engines-file', { users: 20, agents: 50 })
  const there = await seededAnew('engines-postgres', { users: 20, agents: 50 })
  await moveToPostgres(dataFile(there), database.href, () => {})
  const both = {
    file: await agenthall({ directory }),
    postgres: await agenthall({ directory: there, settings: { DATABASE: database.href } })
  }
  const lines: Line[] = []
  for (const [what, asked] of Object.entries(ASKED)) lines.push(await compared(what, asked, both, how))
  await Promise.all(Object.values(both).map((one) => one.stop()))
  return lines
}

async function compared (
  what: string, asked: typeof ASKED[string], both: Record<'file' | 'postgres', Server>, how: Thoroughness
): Promise<Line> {
  const { file, postgres } = await inTurns(
    { file: { ...asked, server: both.file }, postgres: { ...asked, server: both.postgres } }, how)
  return {
    what: `${what}, PostgreSQL, ${asked.connections} connections`,
    measured: `${rate(postgres.rate)}, ${ms(postgres.work / 1000)} work`,
    against: `a file ${rate(file.rate)}, ${ms(file.work / 1000)} work: ${times(postgres.rate / file.rate)}`,
    aim: '≥ 0.1 ×',
    reached: postgres.rate >= 0.1 * file.rate
  }
}

async function anew (server: string, name: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
  await client.end()
}
