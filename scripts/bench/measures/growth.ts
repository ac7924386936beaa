import type { Request } from 'autocannon'
import { as, draft, restored, seeded } from '../data.ts'
import { inTurns, type Load } from '../drive.ts'
import { ms, times, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'

const AGENTS = 100
const SIZES = { small: 100, large: 10_000 }

/**
 * The same requests to an installation a hundred times as large, spread evenly over all users. No list is cached
 * (LIST_CACHE_MIB is 0), so that in both every list is a query: otherwise the small one would answer all from memory,
 * and the figure would show the size of the cache.
 */
export async function growth (how: Thoroughness): Promise<Line[]> {
  const settings = { LIST_CACHE_MIB: '0' }
  const directories = {
    small: await seeded({ users: SIZES.small, agents: AGENTS }),
    large: await seeded({ users: SIZES.large, agents: AGENTS })
  }
  const servers = {
    small: await agenthall({ directory: directories.small, settings }),
    large: await agenthall({ directory: directories.large, settings })
  }
  await Promise.all([everybodyAsks(servers.small, SIZES.small), everybodyAsks(servers.large, SIZES.large)])
  const compare = async (what: string, request: (users: number) => Request, status = 200) => {
    const load = (size: 'small' | 'large'): Load => ({
      server: servers[size], requests: [request(SIZES[size])], status
    })
    const { small, large } = await inTurns({ small: load('small'), large: load('large') }, how)
    const ratio = large.p99 / small.p99
    return {
      what: `${what}, 1,000,000 agents`,
      measured: `p99 ${ms(large.p99)}, ${large.work.toFixed(0)} µs work`,
      against: `10,000 agents: p99 ${ms(small.p99)}, ${small.work.toFixed(0)} µs: ${times(ratio)}`,
      aim: '≤ 1.5 ×',
      reached: ratio <= 1.5
    }
  }
  const body = JSON.stringify(draft)
  const lines = [
    await compare('list a page of 20', (users) => spread(users, () => '/v1/agents/?limit=20')),
    await compare('read one', (users) => spread(users, (user) => `/v1/agents/${user + users * random(AGENTS)}`)),
    await compare('create', (users) => ({ ...spread(users, () => '/v1/agents/'), method: 'POST', body }), 201)
  ]
  for (const size of ['small', 'large'] as const) {
    await servers[size].stop()
    await restored(directories[size], SIZES[size] * AGENTS)
  }
  return lines
}

/**
 * So that in both every caller is known before the measurement: the first request of a key costs queries and a write.
 */
async function everybodyAsks ({ url }: Server, users: number) {
  const AT_ONCE = 50
  for (let user = 1; user <= users; user += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_none, i) =>
        (await fetch(`${url}/v1/agents/${user + i}`, { headers: as(user + i) })).text()
      )
    )
  }
}

/** Each request by another user. */
function spread (users: number, path: (user: number) => string): Request {
  const headers = Array.from({ length: users }, (_none, n) => ({ ...as(n + 1), 'content-type': 'application/json' }))
  return {
    setupRequest (request) {
      const user = 1 + random(users)
      return { ...request, path: path(user), headers: headers[user - 1]! }
    }
  }
}

const random = (below: number) => Math.floor(Math.random() * below)
