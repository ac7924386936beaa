import type { DatabaseOptions } from '../../../src/platform/storage/sqlite/database.ts'
import { as, draft, seededAnew } from '../data.ts'
import { inTurns, type Load } from '../drive.ts'
import { rate, times, type Line, type Thoroughness } from '../report.ts'
import { agenthall } from '../servers.ts'

/**
 * Creating agents durably, in group commits, against the same program that commits one by one, and one that does not
 * wait for the disk.
 */
export async function creates (how: Thoroughness): Promise<Line[]> {
  const variants = {
    durable: await load('durable', {}),
    alone: await load('alone', { grouped: false }),
    loose: await load('loose', { synchronous: 'NORMAL' })
  }
  const { durable, alone, loose } = await inTurns(variants, how)
  await Promise.all(Object.values(variants).map(({ server }) => server.stop()))
  const what = 'create an agent durably, 64 connections'
  const measured = `${rate(durable.rate)}, ${durable.work.toFixed(0)} µs work`
  return [
    {
      what,
      measured,
      against: `one by one ${rate(alone.rate)}: ${times(durable.rate / alone.rate)}`,
      aim: '≥ 4 ×',
      reached: durable.rate >= 4 * alone.rate
    },
    {
      what,
      measured,
      against: `not waiting for the disk ${rate(loose.rate)}: ${times(durable.rate / loose.rate)}`,
      aim: '≥ 0.8 ×',
      reached: durable.rate >= 0.8 * loose.rate
    }
  ]
}

async function load (name: string, database: Pick<DatabaseOptions, 'synchronous' | 'grouped'>): Promise<Load> {
  const server = await agenthall({
    directory: await seededAnew(`creates-${name}`, { users: 100, agents: 0 }), database
  })
  const requests = [
    {
      method: 'POST' as const,
      path: '/v1/agents/',
      headers: { ...as(1), 'content-type': 'application/json' },
      body: JSON.stringify(draft)
    }
  ]
  return { server, requests, connections: 64, status: 201 }
}
