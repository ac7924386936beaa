import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { keyFileIn } from '../../src/platform/storage/vault.ts'
import { build } from '../helper.ts'
import { databaseOf } from '../postgres/database.ts'
import { isFile, keptBytes } from '../postgres/looking.ts'

const HOOK = { url: 'https://example.com/x', events: ['message.completed'] }

/** The command line on a data directory. */
function commandLine (data: string) {
  return async (...args: string[]) => {
    const out: string[] = []
    const notes: string[] = []
    const { exitCode } = await run([...args, '--data', data], {
      env: databaseOf(data), out: (text) => out.push(text), note: (text) => notes.push(text)
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n') }
  }
}

/** An account with a delivery that was given up. */
async function withDead (t: Test) {
  const built = await build(t)
  const me = await built.user()
  const { id } = (await me.post('/v1/webhooks', HOOK)).json().data
  const delivery = (await me.post(`/v1/webhooks/${id}/test`)).json().data.id as number
  await built.stores.db.atomically(function * () {
    built.stores.db.raw
      .prepare(
        'update outbox set state = \'dead\', error = \'{"code":"x","message":"It was refused."}\', settled_at = ?'
      )
      .run(built.clock.micros())
  })
  return { ...built, me, delivery, call: commandLine(built.directory) }
}

t.test('the command line lists what leaves, of every account, and sends anew', async (t) => {
  const { call, delivery, me } = await withDead(t)
  t.match(
    (await call('deliveries', 'list')).out,
    new RegExp(
      `^ID +USER +CHANNEL.*\n${delivery} +${me.id} +webhook +webhook\\.test +webhooks/1 +dead +0 +– +It was refused\\.`
    )
  )
  t.match(JSON.parse((await call('deliveries', 'list', '--state', 'dead', '--user', String(me.id), '--json')).out), [
    { id: delivery, user: me.id }
  ])
  t.equal((await call('deliveries', 'list', '--state', 'waiting')).out, 'Nothing was sent, and nothing is waiting.')
  t.match(await call('deliveries', 'list', '--state', 'lost'), { exitCode: 1, notes: /waiting, sent, dead/ })
  t.match((await call('deliveries', 'replay', String(delivery))).out, `Delivery ${delivery} is queued again`)
  t.match(JSON.parse((await call('deliveries', 'list', '--json')).out), [{ id: delivery, state: 'waiting' }])
  t.match(await call('deliveries', 'replay', '99'), { exitCode: 1, notes: /no delivery 99/ })
  t.match(await call('deliveries', 'replay', String(delivery)), { exitCode: 1, notes: /still being tried/ })
})

t.test('what came to its end is forgotten after thirty days, and what still waits is not', async (t) => {
  const { me, clock, settled, stores, delivery } = await withDead(t)
  await settled()
  clock.advance(29 * 86_400_000)
  await settled()
  t.equal((await me.get('/v1/deliveries')).json().data.length, 1)
  clock.advance(2 * 86_400_000)
  await settled()
  t.strictSame((await me.get('/v1/deliveries')).json().data, [])
  t.equal(await stores.outbox.get(me.id, delivery), undefined)
})

t.test('agenthall.key is made once, for its owner alone, and is in no backup', async (t) => {
  const { user, directory, settled, stores } = await build(t)
  await user()
  await settled()
  const file = keyFileIn(directory)
  const made = readFileSync(file, 'utf8')
  t.match(made, /^[\w-]{43}\n$/)
  t.equal(statSync(file).mode & 0o777, 0o600)
  const call = commandLine(directory)
  const copy = path.join(directory, 'copy.db')
  // A database is backed up, with its contents, by its own tools.
  if (isFile(stores.db.raw)) await call('backup', copy)
  const bytes = isFile(stores.db.raw) ? readFileSync(copy) : keptBytes({ stores, directory })
  t.notOk(bytes.includes(Buffer.from(made.trim(), 'base64url')))
  t.match((await call('doctor')).out, /key +ok .*agenthall\.key; it is in no backup/)
  chmodSync(file, 0o644)
  t.match((await call('doctor')).out, /key +WRONG .*Run: chmod 600/)
})

t.test('a lost or wrong agenthall.key is named by doctor and by the first thing that needs it, and can be given up', async (t) => {
  const first = await build(t)
  const me = await first.user()
  const { id } = (await me.post('/v1/webhooks', HOOK)).json().data
  const file = keyFileIn(first.directory)
  const right = readFileSync(file)
  await first.close()
  rmSync(file)
  const call = commandLine(first.directory)
  t.match((await call('doctor')).out, /key +WRONG .*agenthall\.key is missing: .*secrets renew/)
  const lost = await build(t, {}, { directory: first.directory })
  const again = lost.withKey(me.key)
  const refused = await again.post('/v1/webhooks', HOOK)
  t.equal(refused.statusCode, 503)
  t.match(refused.json().error.message, /agenthall\.key is missing/)
  t.equal((await again.get('/v1/webhooks')).statusCode, 200, 'what needs no secret goes on')
  t.notOk(existsSync(file), 'none is made in its place')
  writeFileSync(file, 'AAAA\n')
  t.match((await call('doctor')).out, /key +WRONG .*is not the key that this data/)
  t.match((await again.post('/v1/webhooks', HOOK)).json().error.message, /is not the key/)
  const delivery = (await again.post(`/v1/webhooks/${id}/test`)).json().data.id
  await lost.settled()
  t.match((await again.get(`/v1/deliveries/${delivery}`)).json().data, {
    state: 'waiting', error: { message: /is not the key/ }
  })
  writeFileSync(file, right)
  t.equal((await again.post('/v1/webhooks', HOOK)).statusCode, 201, 'put back, it serves')
  await lost.close()
  t.match((await call('secrets', 'renew')).out, /A new agenthall\.key is made/)
  t.notSame(readFileSync(file), right)
  const renewed = await build(t, {}, { directory: first.directory })
  const then = renewed.withKey(me.key)
  const old = (await then.post(`/v1/webhooks/${id}/test`)).json().data.id
  await renewed.settled()
  t.match((await then.get(`/v1/deliveries/${old}`)).json().data, {
    error: { message: 'This secret was sealed with an agenthall.key that is no longer used. Enter it again.' }
  })
  t.equal((await then.post(`/v1/webhooks/${id}/rotate`)).statusCode, 201)
})

t.test('a log says at the start that the key is lost, and a file from before it knows of none', async (t) => {
  const { stores, directory, close } = await build(t)
  const warnings: string[] = []
  const log = { info () {}, warn: (_about: object, message: string) => { warnings.push(message) } }
  await (await stores.work(() => {}, log)).stop()
  t.strictSame(warnings, [])
  rmSync(keyFileIn(directory))
  await close()
  const again = await build(t, {}, { directory })
  await (await again.stores.work(() => {}, log)).stop()
  t.match(warnings, [/is missing/])
  again.stores.db.raw.exec('delete from vault_keys')
  t.match((await commandLine(directory)('doctor')).out, /key +ok +agenthall\.key is made at the next start/)
})

// Was wrong: any text was accepted, and answered with an empty list.
t.test('deliveries are asked for by what they belong to, in the forms that they show; anything else is refused', async (t) => {
  const { me, delivery } = await withDead(t)
  const { data: [shown] } = (await me.get('/v1/deliveries')).json()
  const of = async (about: string) => await me.get(`/v1/deliveries?about=${encodeURIComponent(about)}`)
  t.match((await of(shown.about)).json().data, [{ id: delivery, about: 'webhooks/1' }])
  const [random, visitor] = ['conv_', 'vis_'].map((prefix) => prefix + 'a'.repeat(22))
  for (const about of [`conversations/${random}`, `visitors/${visitor}`, `tickets/tkt_${'a'.repeat(20)}`, 'links/7']) {
    t.strictSame((await of(about)).json().data, [], about)
  }
  for (const about of ['x', '', 'tickets', 'tickets/7', 'webhooks/x', 'webhooks/0', 'agents/1', 'conversations/conv_x']) {
    const refused = await of(about)
    t.match([refused.statusCode, refused.json().error.details], [400, [{ field: 'about' }]], about)
  }
})
