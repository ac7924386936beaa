import path from 'node:path'
import t from 'tap'
import { redisServer, skip as withoutServices } from '../../scale/redis.ts'
import { client, scratch, type Server } from '../tools/server.ts'
import { ownPostgres, replicaOf, skip as withoutPostgres } from './postgres.ts'
import { proxyTo } from './proxy.ts'
import { faultsIn, loadOn, serveIn } from './writers.ts'

t.test('where the replica takes over, everything that was acknowledged is there, and goes on being written', {
  skip: withoutPostgres || withoutServices, timeout: 300_000
}, async (t) => {
  const [primary, redis, home] = [await ownPostgres(t), await redisServer(t), scratch(t)]
  // The address of whichever of them is the primary.
  const database = await proxyTo(t, primary.address)
  const servers: Server[] = []
  t.teardown(async () => { for (const one of servers) await one.kill() })
  for (let at = 0; at < 3; at++) servers.push(await serveIn(home, at, database.address, redis.address))
  const key = servers[0]!.key!
  const replica = await replicaOf(t, primary)

  const draft = { name: 'Ada', systemPrompt: 'You help.' }
  const make = async () => await client(servers[0]!.address, key)('POST', '/v1/agents', draft, { 'idempotency-key': 'Ada' })
  await replica.crash()
  const refused = await make()
  t.equal(refused.status, 503, 'what the replica has not got is not acknowledged')
  await replica.start()
  let made = await make()
  while (made.status === 503) made = await make()
  t.equal(made.status, 201, 'sent again, it is')
  const { body: { data } } = await client(servers[1]!.address, key)('GET', '/v1/agents')
  t.strictSame(data.map(({ id }: { id: number }) => id), [made.body.data.id], 'once')

  const load = loadOn(() => servers, key)
  t.comment(await load.during('nothing', () => {}, () => {}, 5000))
  const before = load.heard.made.size
  t.comment(await load.during('the replica takes over', async () => {
    await primary.crash()
    await replica.promote()
    database.turn(replica.address)
  }, () => {}, 10_000))
  t.ok(load.heard.made.size > before, 'it goes on')
  t.comment(await load.end())
  if (load.heard.wrong.length > 0) t.comment(faultsIn(path.join(home, 'log')))
  t.strictSame(load.heard.wrong, [], 'no other answer than it was done, or try again')
  t.strictSame(load.heard.slow, [], 'whoever asks hears something soon')
  t.strictSame(await load.lostIn(replica.address), { lost: [], twice: [], unfinished: 0 })
})
