import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { QUESTION, RETURNS } from '../../conversations/helper.ts'
import { slowModel, type Asked } from '../../conversations/slow-model.ts'
import { freePort, skip as withoutServices } from '../../scale/redis.ts'
import { asking, until } from '../../scale/servers.ts'
import { scratch, serve, type Server } from '../tools/server.ts'
import { ownPostgres, skip as withoutPostgres } from './postgres.ts'
import { faultsIn } from './writers.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const NAMES = ['one', 'two', 'three'] as const
const PASSWORD = 'correct horse battery staple'
const withoutCaddy = spawnSync('caddy', ['version']).error
  ? 'caddy is missing (Debian: apt-get install caddy)'
  : false

/** What compose.scale.yaml says, with these variables; each place is then replaced by where that part runs here. */
function composed (variables: Record<string, string>, places: ReadonlyMap<string, string>, front: number) {
  const filled = read('compose.scale.yaml').replaceAll(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_whole, name, usual) =>
    variables[name] ?? usual)
  const { services } = parse(filled, { merge: true })
  const here = (text: string) => [...places].reduce((all, [from, to]) => all.replaceAll(from, to), text)
  const environment = Object.fromEntries(
    Object.entries<string>(services.one.environment).map(([name, value]) => [name, here(value)]))
  return {
    environment,
    grace: Number.parseInt(services.one.stop_grace_period) * 1000,
    database: services.postgres.environment as Record<string, string>,
    redis: services.redis.command as string[],
    caddy: here(read(services.caddy.volumes[0].split(':')[0]).replace(/^:8080(?= )/m, `:${front}`))
  }
}

/** Ends a program with the test. */
function ending (t: Test, child: ChildProcess) {
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  return child
}

/** All of compose.scale.yaml, each part as a process: the servers, each with a model of its own, behind Caddy. */
async function together (t: Test) {
  const [postgres, home] = [await ownPostgres(t), scratch(t)]
  const [front, redisPort, ...ports] = await Promise.all(Array.from({ length: 5 }, freePort)) as
    [number, number, number, number, number]
  const address = new URL(postgres.address)
  const places = new Map([
    ['localhost:8080', `127.0.0.1:${front}`], ['postgres:5432', address.host], ['redis:6379', `127.0.0.1:${redisPort}`],
    ['172.30.0.0/24', '127.0.0.1'], ...NAMES.map((name, at) => [`${name}:8080`, `127.0.0.1:${ports[at]}`] as const)
  ])
  const parts = composed({ POSTGRES_PASSWORD: 'secret', AGENTHALL_BASE_URL: `http://127.0.0.1:${front}` }, places, front)

  const client = new pg.Client({ connectionString: postgres.address })
  await client.connect()
  const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = parts.database
  await client.query(`create role ${user} superuser login password '${password}'`)
  await client.query(`create database ${database} owner ${user}`)
  await client.end()
  const [redis = '', ...args] = parts.redis
  ending(t, spawn(redis, [...args, '--port', String(redisPort), '--bind', '127.0.0.1'], { stdio: 'ignore', cwd: home }))

  const questions: Array<{ at: number, question: Asked }> = []
  const models = await Promise.all(NAMES.map((_name, at) =>
    slowModel(t, (question) => questions.push({ at, question }))))
  const key = spawnSync('sh', ['-c', "head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\\n'"]).stdout
  const servers: Server[] = []
  t.teardown(async () => { for (const one of servers) await one.kill() })
  async function start (at: number) {
    // Nothing in it is kept but the key.
    const directory = path.join(home, `${NAMES[at]!}-${performance.now()}`)
    mkdirSync(directory)
    writeFileSync(path.join(directory, 'agenthall.key'), key, { mode: 0o400 })
    const env = { ...parts.environment, AGENTHALL_MODEL_URL: models[at]!.url }
    servers[at] = await serve(directory, { env, port: ports[at]!, log: path.join(home, 'log') })
  }
  await Promise.all(NAMES.map((_name, at) => start(at)))

  // Another Caddy of this machine may have the usual port for changing its settings.
  const [file, config] = [path.join(home, 'Caddyfile'), path.join(home, 'caddy.json')]
  writeFileSync(file, parts.caddy)
  const adapted = spawnSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'])
  writeFileSync(config, JSON.stringify({ ...JSON.parse(adapted.stdout.toString()), admin: { disabled: true } }))
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  ending(t, spawn('caddy', ['run', '--config', config], { env, stdio: 'ignore' }))
  const through = `http://127.0.0.1:${front}`
  await until(async () => await fetch(`${through}/readyz`).then(({ ok }) => ok, () => false))
  /** The next question to the model of any server, and which. */
  async function asked () {
    await until(() => questions.length > 0)
    return questions.shift()!
  }
  const faults = () => faultsIn(path.join(home, 'log'))
  return { through, servers, start, asked, faults, grace: parts.grace }
}

/** Reads a conversation's events through Caddy, from a position; after a cut again from where it was. */
function watching (t: Test, url: string, key: string) {
  const cut = new AbortController()
  t.teardown(() => cut.abort())
  const seen = { last: '', text: '', kinds: [] as string[] }
  async function once () {
    const answer = await fetch(url, {
      headers: { authorization: `Api-Key ${key}`, ...(seen.last !== '' && { 'last-event-id': seen.last }) },
      signal: cut.signal
    })
    let rest = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const block = rest.slice(0, end)
        rest = rest.slice(end + 2)
        const data = /^data: (\{.*\})$/m.exec(block)
        seen.last = /^id: (.*)$/m.exec(block)?.[1] ?? seen.last
        if (!data) continue
        const part = JSON.parse(data[1]!)
        seen.kinds.push(part.type)
        if (part.type === 'text-delta') seen.text += part.delta
      }
    }
  }
  ;(async () => {
    while (!cut.signal.aborted) {
      await once().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })().catch(() => {})
  return seen
}

/** Asks through Caddy again and again, until it is ended; how often each status came. */
function visitors (through: string, key: string) {
  const statuses = new Map<number, number>()
  const over = new AbortController()
  const asks = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const { status } = await fetch(`${through}/v1/me`, { headers: { authorization: `Api-Key ${key}` } })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
  return async () => {
    over.abort()
    await Promise.all(asks)
    return statuses
  }
}

t.test('compose.scale.yaml: set up, answered, gone on with when a server dies, and begun anew one by one, through Caddy', {
  skip: withoutPostgres || withoutServices || withoutCaddy, timeout: 240_000
}, async (t) => {
  const { through, servers, start, asked, faults, grace } = await together(t)
  const firsts = servers.filter(({ key }) => key !== undefined)
  t.equal(firsts.length, 1, 'the first key is printed once')
  const key = firsts[0]!.key!
  // Was wrong: the leading server replaced the link that another had shown a moment ago.
  const links = servers.flatMap((one) => [...one.said().matchAll(/#\/link\/([\w-]+)/g)].map(([, token]) => token!))
  const front = asking([{ address: through }], key)
  const ask = (...what: Parameters<typeof front> extends [number, ...infer Rest] ? Rest : never) => front(0, ...what)

  const used = await Promise.all(links.map((token) =>
    ask('POST', '/v1/links/use', { token, password: PASSWORD, email: 'ada@example.com' })))
  t.strictSame(used.map(({ status }) => status), [201], 'one link is shown, and it is good')
  t.equal((await ask('POST', '/v1/session', { email: 'ada@example.com', password: PASSWORD })).status, 201)
  t.equal((await fetch(`${through}/metrics`)).status, 404)
  t.equal((await fetch(`${through}/console/`)).status, 200)
  const { id } = (await ask('POST', '/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).body.data
  const sources = `/v1/agents/${id}/knowledge_sources`
  await ask('POST', sources, { title: 'Returns', plain_text: RETURNS })
  const status = async () => (await ask('GET', sources)).body.data[0]?.training_status
  // What failed for a reason of ours is tried again after a minute.
  await until(async () => await status() === 'Success', 90_000)
  t.equal(await status(), 'Success')
  const at = `/v1/conversations/${(await ask('POST', `/v1/agents/${id}/conversations`, {})).body.data.id}`
  const seen = watching(t, `${through}${at}/events`, key)

  const answered = ask('POST', `${at}/messages`, { text: QUESTION })
  const first = await asked()
  await first.question.say('Within thirty ')
  await until(() => seen.text.includes('thirty'))
  t.ok(seen.text.includes('thirty'), 'a piece comes through while the rest is written')
  await first.question.say('days [1].')
  first.question.end()
  t.match((await answered).body.data, { status: 'complete', text: /thirty days/ })

  const dying = ask('POST', `${at}/messages`, { text: 'And what does that cost?' }).catch(() => undefined)
  const second = await asked()
  await second.question.say('It costs ')
  await until(() => seen.text.includes('costs'))
  await servers[second.at]!.kill()
  const third = await asked()
  t.not(third.at, second.at, 'another server writes the answer')
  await third.question.say('It costs nothing [1].')
  third.question.end()
  const messages = async () => (await ask('GET', `${at}/messages`)).body.data as Array<{ role: string, status: string }>
  await until(async () => (await messages()).at(-1)!.status === 'complete')
  t.match((await messages()).at(-1), { role: 'agent', status: 'complete', text: /It costs nothing/ })
  await until(() => seen.kinds.filter((kind) => kind === 'finish').length === 2)
  t.equal(seen.kinds.filter((kind) => kind === 'finish').length, 2, 'the stream, taken up again, came to the end')
  await dying
  await start(second.at)

  const statuses = visitors(through, key)
  for (const [at, one] of [...servers].entries()) {
    const began = performance.now()
    await one.stop()
    t.ok(performance.now() - began < grace, `${NAMES[at]} stops in time`)
    await start(at)
    t.equal((await fetch(`${servers[at]!.address}/readyz`)).status, 200)
    // Caddy asks every two seconds who is there.
    await new Promise((resolve) => setTimeout(resolve, 3000))
  }
  const heard = await statuses()
  t.strictSame([...heard.keys()], [200], `nobody notices: ${JSON.stringify([...heard])}`)
  if (!t.passing()) t.comment(faults())
})
