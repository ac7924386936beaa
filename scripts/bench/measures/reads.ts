import type { Request } from 'autocannon'
import { as, seeded } from '../data.ts'
import { drive, driveWithWrk, HAS_WRK, inTurns, type Measured } from '../drive.ts'
import { rate, times, type Line, type Thoroughness } from '../report.ts'
import { agenthall, floor } from '../servers.ts'

const LIST = '/v1/agents/'
const ONE = '/v1/agents/1'

/** Reading, against a server that answers the same bytes without doing any work. */
export async function reads (how: Thoroughness): Promise<Line[]> {
  const ours = await agenthall({ directory: await seeded({ users: 100, agents: 20 }) })
  const headers = as(1)
  const list = await fetch(ours.url + LIST, { headers })
  const one = await fetch(ours.url + ONE, { headers })
  const bytes = { [LIST]: await list.text(), [ONE]: await one.text() }
  const bare = await floor(bytes)
  const compare = async (
    path: string,
    {
      extra = {}, status = 200, driver = drive
    }: { extra?: Record<string, string>, status?: number, driver?: typeof driveWithWrk } = {}
  ) => {
    const request: Request = { path, headers: { ...headers, ...extra } }
    return inTurns(
      { ours: { server: ours, requests: [request], status }, floor: { server: bare, requests: [request] } },
      how,
      driver
    )
  }
  const size = `${Math.round(bytes[LIST]!.length / 1000)} KB`
  const lines = [
    line(`list of 20 agents, ${size}`, await compare(LIST), 0.8),
    line(
      'the same list with If-None-Match',
      await compare(LIST, { extra: { 'if-none-match': list.headers.get('etag')! }, status: 304 }),
      1
    ),
    line('read one agent', await compare(ONE), 0.5)
  ]
  if (HAS_WRK) {
    lines.push(
      line(`list of 20 agents, ${size}, by wrk`, await compare(LIST, { driver: driveWithWrk }), 0.8),
      line('read one agent, by wrk', await compare(ONE, { driver: driveWithWrk }), 0.5)
    )
  }
  await Promise.all([ours.stop(), bare.stop()])
  return lines
}

function line (what: string, { ours, floor }: Record<'ours' | 'floor', Measured>, aim: number): Line {
  const ratio = ours.rate / floor.rate
  return {
    what,
    measured: `${rate(ours.rate)}, ${ours.work.toFixed(0)} µs work`,
    against: `floor ${rate(floor.rate)}, ${floor.work.toFixed(0)} µs: ${times(ratio)}`,
    aim: `≥ ${aim} × the floor`,
    reached: ratio >= aim
  }
}
