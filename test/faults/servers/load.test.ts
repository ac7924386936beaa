import path from 'node:path'
import { Redis } from 'ioredis'
import t from 'tap'
import { redisServer, skip as withoutServices } from '../../scale/redis.ts'
import { scratch, type Server } from '../tools/server.ts'
import { ownPostgres, skip as withoutPostgres } from './postgres.ts'
import { proxyTo } from './proxy.ts'
import { faultsIn, loadOn, serveIn } from './writers.ts'

t.test('three servers under load: nothing that was acknowledged is lost, nothing is made twice, nobody waits', {
  skip: withoutPostgres || withoutServices, timeout: 600_000
}, async (t) => {
  const [postgres, redis, home] = [await ownPostgres(t), await redisServer(t), scratch(t)]
  const [toPostgres, toRedis] = [await proxyTo(t, postgres.address), await proxyTo(t, redis.address)]
  const servers: Server[] = []
  async function start (at: number) {
    // The second reaches both services through proxies that can be cut.
    const [database, neighbours] = at === 1 ? [toPostgres, toRedis] : [postgres, redis]
    const server = servers[at] = await serveIn(home, at, database.address, neighbours.address)
    return server
  }
  t.teardown(async () => { for (const one of servers) await one.kill() })
  const key = (await start(0)).key!
  await start(1)
  await start(2)

  const load = loadOn(() => servers, key)
  const { heard, paused } = load
  const during = async (...what: Parameters<typeof load.during>) => t.comment(await load.during(...what))
  await during('nothing', () => {}, () => {}, 3000)
  await during('kill -9 of one', () => servers[2]!.kill(), () => start(2), 3000)
  await during('the network to PostgreSQL is cut', () => toPostgres.cut(), () => toPostgres.mend(), 3000)
  await during('the network to PostgreSQL says nothing', () => toPostgres.hang(), () => toPostgres.mend(), 3000)
  await during('the network to Redis is cut', () => toRedis.cut(), () => toRedis.mend(), 3000)
  await during('PostgreSQL crashes', () => postgres.crash(), () => postgres.start(), 2000)
  await during('Redis is killed', () => redis.kill(), () => redis.restart(), 3000)
  await during('Redis hangs', () => redis.hang(), () => redis.goOn(), 3000)
  await during('Redis is emptied', async () => {
    const client = new Redis(redis.address)
    await client.flushall()
    client.disconnect()
  }, () => {}, 1000)
  await during('one is paused', () => {
    paused.add(servers[0]!)
    servers[0]!.child.kill('SIGSTOP')
  }, () => servers[0]!.child.kill('SIGCONT'), 60_000)
  t.comment(await load.end())
  if (heard.wrong.length > 0) t.comment(faultsIn(path.join(home, 'log')))
  t.strictSame(heard.wrong, [], 'no other answer than it was done, or try again')
  t.strictSame(heard.slow, [], 'whoever asks hears something soon')
  t.ok(heard.made.size > 50, `${heard.made.size} agents`)

  t.strictSame(await load.lostIn(postgres.address), { lost: [], twice: [], unfinished: 0 }, 'what was acknowledged is there, once, and each answer has come to its end')
})
