import { as, seeded } from '../data.ts'
import { drive, median } from '../drive.ts'
import { mib, ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'

const AGENTS = 100_000
const OTHERS = 99
const PAGE = 100

/** One user with 100,000 agents: the whole list, its effect on others, and its pages. */
export async function large ({ rounds, seconds }: Thoroughness): Promise<Line[]> {
  const server = await agenthall({ directory: await seeded({ users: 1 + OTHERS, agents: 20, first: AGENTS }) })
  const streams = []
  for (let round = 0; round < rounds; round++) streams.push(await streamed(server))
  const grown = Math.max(...streams.map((stream) => stream.grown))
  const p99 = median(streams.map((stream) => stream.p99))
  const pages = []
  for (let round = 0; round < rounds; round++) {
    pages.push(await drive({ server, connections: 1, requests: [anyPage()] }, seconds))
  }
  const page = median(pages.map((measured) => measured.p99))
  await server.stop()
  const what = `whole list of ${AGENTS.toLocaleString('en')} agents (${mib(streams[0]!.bytes)} in ${(median(streams.map((stream) => stream.took)) / 1000).toFixed(1)} s)`
  return [
    { what, measured: `memory + ${mib(grown)}`, against: '', aim: '< 64 MiB', reached: grown < 64 * 2 ** 20 },
    {
      what: 'other users meanwhile, reading one agent, 8 connections',
      measured: `p99 ${ms(p99)}`,
      against: '',
      aim: '< 50 ms',
      reached: p99 < 50
    },
    {
      what: `any page of ${PAGE} of these`,
      measured: `p99 ${ms(page)}`,
      against: '',
      aim: '< 20 ms',
      reached: page < 20
    }
  ]
}

/**
 * Reads the whole list while others read, and watches the memory: how far it rises above the level when only the others
 * read.
 */
async function streamed (server: Server) {
  await drive({ server, ...others() }, 1)
  let most = server.memory()
  const before = most
  const watch = setInterval(() => { most = Math.max(most, server.memory()) }, 5)
  const meanwhile = new AbortController()
  const started = performance.now()
  const list = whole(server).finally(() => meanwhile.abort())
  const { p99 } = await drive({ server, ...others() }, 60, meanwhile.signal)
  const bytes = await list
  clearInterval(watch)
  return { bytes, p99, grown: most - before, took: performance.now() - started }
}

async function whole ({ url }: Server): Promise<number> {
  const answer = await fetch(`${url}/v1/agents/`, { headers: as(1) })
  let bytes = 0
  for await (const chunk of answer.body!) bytes += chunk.length
  return bytes
}

const others = () => ({
  connections: 8,
  requests: Array.from({ length: OTHERS }, (_none, n) => ({ path: `/v1/agents/${n + 2}`, headers: as(n + 2) }))
})

function anyPage () {
  return {
    setupRequest: (request: object) => ({
      ...request,
      path: `/v1/agents/?limit=${PAGE}&page=${1 + Math.floor((Math.random() * AGENTS) / PAGE)}`,
      headers: as(1)
    })
  }
}
