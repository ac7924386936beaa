import { createServer, type AddressInfo } from 'node:net'
import { as, seeded } from '../data.ts'
import { median } from '../drive.ts'
import { mib, ms, type Line, type Thoroughness } from '../report.ts'
import { timedStart } from '../servers.ts'

/** Milliseconds after which a server counts as idle. */
const IDLE_MS = 5000

/**
 * From the start of the process to the first answer with a million agents on disk, and the memory of an idle server.
 */
export async function starting ({ rounds }: Thoroughness): Promise<Line[]> {
  const directory = await seeded({ users: 10_000, agents: 100 })
  const headers = as(5000)
  const times: number[] = []
  let idle = 0
  for (let round = 0; round <= rounds; round++) {
    const server = await timedStart({
      directory, port: await freePort(), request: (url) => fetch(`${url}/v1/agents/?limit=20`, { headers })
    })
    // The first start reads the program from disk; it is not counted.
    if (round > 0) times.push(server.ms)
    if (round === rounds) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
      idle = server.memory()
    }
    await server.stop()
  }
  const start = median(times)
  return [
    {
      what: 'start to first answer (a list), 1,000,000 agents on disk',
      measured: ms(start),
      against: '',
      aim: '< 500 ms',
      reached: start < 500
    },
    { what: 'memory when idle', measured: mib(idle), against: '', aim: '< 95 MiB (100 MB)', reached: idle < 1e8 }
  ]
}

async function freePort (): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
