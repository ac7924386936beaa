import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t, { type Test } from 'tap'
import { PERMISSIONS } from '../../schema/access.ts'
import { run } from '../../src/cli/index.ts'
import { looksLikeKey } from '../../src/access/keys.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openStores } from '../../src/stores.ts'
import { plain, sentenceOf } from '../../src/cli/common.ts'
import { VERSION } from '../../src/version.ts'
import { draft } from '../helper.ts'

/** The program on a data directory of its own, in this process. */
function program (t: Test) {
  const data = path.join(t.testdir({}), 'data')
  async function call (args: string, env: Record<string, string> = {}) {
    const out: string[] = []
    const notes: string[] = []
    const { exitCode, server } = await run(args.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [], {
      env: { AGENTHALL_DATA: data, AGENTHALL_LOG_LEVEL: 'silent', ...env },
      out: (text) => out.push(text),
      note: (text) => notes.push(text)
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n'), server }
  }
  return { data, call, json: async (args: string) => JSON.parse((await call(`${args} --json`)).out) }
}

t.test('users are made, listed and moved to another tier', async (t) => {
  const { call, json, data } = program(t)
  const first = await call('users create --name "Ada Lovelace" --email ada@example.com')
  t.equal(first.exitCode, 0)
  const [said, key] = /^User 1 \(Ada Lovelace\) on the enterprise tier\.\nAPI key, shown only now: (\S+)$/.exec(
    first.out
  )!
  t.ok(said && looksLikeKey(key!))
  const second = await json('users create --name Bob')
  t.strictSame(Object.keys(second), ['user', 'key'])
  t.match(second.user, { id: 2, name: 'Bob', email: null, tier: 'free' }, 'only the very first is enterprise by itself')
  t.match((await json('users create --name Pro --tier pro')).user, { tier: 'pro' })
  t.strictSame(
    (await call('users list')).out
      .split('\n')
      .slice(0, 4)
      .map((line) => line.replace(/ {2,}\d+ {2,}.*$| {2,}KEYS.*$/, '')),
    [
      'ID  NAME          EMAIL            TIER', '1   Ada Lovelace  ada@example.com  enterprise',
      '2   Bob           –                free', '3   Pro           –                pro'
    ]
  )
  t.match(
    await json('users list'),
    [
      { id: 1, name: 'Ada Lovelace', tier: 'enterprise' }, { id: 2, tier: 'free' }, { id: 3, tier: 'pro' }
    ],
    'with the tier of each'
  )
  t.equal((await call('users update 2 --tier enterprise')).out, 'User 2 (Bob) is on the enterprise tier.')
  t.match(await json('users update 2 --tier free'), { user: { id: 2, tier: 'free' } })
  t.equal(statSync(data).mode & 0o077, 0, 'nobody else may read the data')
})

t.test('keys are made, listed and revoked', async (t) => {
  const { call, json } = program(t)
  await call('users create --name Ada')
  const made = await json(
    'keys create --user 1 --name Deploy --permissions "MANAGE_AGENTS, VIEW_ANALYTICS,MANAGE_AGENTS" --expires 90d'
  )
  t.strictSame([Object.keys(made), made.id, looksLikeKey(made.key)], [['id', 'key'], 2, true])
  t.match((await call('keys create --user 1')).out, /^Key 3 of user 1\.\nAPI key, shown only now: agh_\w{49}$/)
  await call('users create --name Bob')
  const all = await json('keys list')
  t.match(all, [
    { id: 1, user: 1, name: 'First key', permissions: PERMISSIONS },
    {
      id: 2,
      user: 1,
      name: 'Deploy',
      permissions: ['MANAGE_AGENTS', 'VIEW_ANALYTICS'],
      last_used_at: null,
      revoked_at: null
    },
    { id: 3, user: 1, name: 'API key', permissions: PERMISSIONS, expires_at: null },
    { id: 4, user: 2 }
  ])
  t.notMatch(JSON.stringify(all), /agh_\w{5}|digest/, 'no secret is ever listed')
  const days = (Date.parse(all[1].expires_at) - Date.now()) / 86_400_000
  t.ok(days > 89.9 && days <= 90)
  t.strictSame((await json('keys list --user 2')).map(({ id }: { id: number }) => id), [4])
  const words = (await call('keys list')).out.split('\n')
  t.match(words[0], /^ID {2}USER {2}NAME +CLIENT +KEY +PERMISSIONS +LAST USED {2}EXPIRES +REVOKED$/)
  t.match(words[1], /^1 +1 +First key +– +agh_\w{4}… +all +– +– +–$/)
  t.match(words[2], 'MANAGE_AGENTS,VIEW_ANALYTICS')
  t.equal((await call('keys revoke 2')).out, 'Key 2 is revoked.')
  t.strictSame(await json('keys revoke 3'), { id: 3, revoked: true })
  t.match((await json('keys list'))[1].revoked_at, /^\d{4}-/)
  const again = await call('keys revoke 2')
  t.strictSame(
    [again.exitCode, again.notes],
    [1, 'There is no key 2 that could be revoked; "npm run -s agenthall -- keys list" lists them.']
  )
})

t.test('an expiry is a time from now or a date, and in the future', async (t) => {
  const { call, json } = program(t)
  await call('users create --name Ada')
  const expiry = async (text: string) => {
    await call(`keys create --user 1 --expires ${text}`)
    return Date.parse((await json('keys list')).at(-1).expires_at) - Date.now()
  }
  for (const [text, ms] of Object.entries({ '5m': 300e3, '12h': 43_200e3, '2w': 1_209_600e3, '1y': 31_536_000e3 })) {
    t.ok(Math.abs((await expiry(text)) - ms) < 10_000, text)
  }
  t.ok(await expiry('2099-01-01') > 0)
  t.ok(await expiry('2099-01-01T00:00:00Z') > 0)
  for (const text of ['0d', '-1d', '90', 'd', '90x', 'soon', '2001-01-01', '100000d', '']) {
    const refused = await call(`keys create --user 1 --expires=${text}`)
    t.strictSame(
      [refused.exitCode, refused.notes],
      [1, '--expires must be a time from now, such as 12h or 90d, or a day or time in the future, such as 2030-12-31 or 2030-12-31T12:00Z.'],
      text
    )
  }
})

t.test(
  'what is wrong gets a sentence, and an exit code of 2 for the command line and 1 for anything else',
  async (t) => {
    const { call, data } = program(t)
    await call('users create --name Ada')
    const wrong: Record<string, [exitCode: number, says: string | RegExp]> = {
      'users create': [2, "required option '--name <name>' not specified"],
      'users create --name x --nmae x': [2, "unknown option '--nmae'\n(Did you mean --name?)"],
      'users list --jsno': [2, '(Did you mean --json?)'],
      'users crate --name x': [2, '(Did you mean create?)'],
      'user list': [2, 'There is no command "user"; did you mean "users"? "npm run -s agenthall -- help" lists all.'],
      'conquer --port 1': [2, 'There is no command "conquer". "npm run -s agenthall -- help" lists all.'],
      'users update --tier pro': [2, "missing required argument 'id'"],
      'users update 1': [2, "required option '--tier <tier>' not specified"],
      'users list extra': [2, 'too many arguments'],
      'keys create': [2, "required option '--user <id>' not specified"],
      'keys revoke': [2, "missing required argument 'id'"],
      'users create --name ""': [1, '--name must be 1 to 200 characters.'],
      [`users create --name ${'x'.repeat(201)}`]: [1, '--name must be 1 to 200 characters.'],
      'users create --name x --email nobody': [1, '--email is not an e-mail address.'],
      'users create --name x --tier gold': [1, '--tier must be free, pro, enterprise.'],
      'users update 9 --tier pro': [1, 'There is no user 9; "npm run -s agenthall -- users list" lists them.'],
      'users update x --tier pro': [1, 'users must be a number, as "npm run -s agenthall -- users list" shows it.'],
      'users update 0 --tier pro': [1, 'users must be a number, as "npm run -s agenthall -- users list" shows it.'],
      'keys create --user 9': [1, 'There is no user 9; "npm run -s agenthall -- users list" lists them.'],
      'keys create --user 1 --name " "': [1, '--name must be 1 to 200 characters.'],
      'keys create --user 1 --permissions MANAGE_AGENT': [
        1, 'MANAGE_AGENT is not a permission; did you mean "MANAGE_AGENTS"?'
      ],
      'keys create --user 1 --permissions ,': [1, '--permissions needs at least one.'],
      'keys list --user -1': [1, 'users must be a number, as "npm run -s agenthall -- users list" shows it.'],
      'keys revoke 1.5': [1, 'keys must be a number, as "npm run -s agenthall -- keys list" shows it.'],
      'keys revoke 99': [
        1, 'There is no key 99 that could be revoked; "npm run -s agenthall -- keys list" lists them.'
      ],
      'serve --port abc': [
        1,
        'Wrong settings:\n  --port is "abc"; it must be a whole number from 0 to 65535. (Port to listen on; 0 picks a free one)'
      ],
      'serve --port 99999': [1, '--port is "99999"'],
      'serve --prot 1': [2, '(Did you mean --port?)']
    }
    for (const [args, [exitCode, says]] of Object.entries(wrong)) {
      const answer = await call(args)
      t.equal(answer.exitCode, exitCode, args)
      t.match(answer.notes, says)
      t.notMatch(answer.notes, /\n {4}at /, 'no stack')
      t.equal(answer.out, '')
    }
    t.match((await call('users list --json')).out, /^\[\{"id":1,[^[]*\}\]$/, 'and nothing was made')
    const setting = await call('users list', { AGENTHALL_PROT: '1', AGENTHALL_LOG_LEVEL: 'loud' })
    t.equal(setting.exitCode, 1)
    t.match(
      setting.notes,
      'AGENTHALL_PROT is not a setting; did you mean "AGENTHALL_PORT"?\n  AGENTHALL_LOG_LEVEL is "loud"'
    )
    t.match(
      await call('users list', { AGENTHALL_DATA: path.join(data, 'agenthall.db') }),
      { exitCode: 1 },
      'a data directory that is a file'
    )
  }
)

t.test('a fault that nobody expected shows all there is to report', async (t) => {
  t.match(sentenceOf(new Error('odd')), /^Unexpected fault: Error: odd\n {4}at /)
  t.equal(sentenceOf('odd'), 'odd')
})

t.test(
  'a data directory that holds the file of another program, or of a newer one, is refused and left as it is',
  async (t) => {
    const { call, data } = program(t)
    await call('users create --name Ada')
    const file = path.join(data, 'agenthall.db')
    for (const [pragma, says] of [
      ['user_version = 9999', 'The database is newer than this program'],
      ['application_id = 1', 'This file is a database of another program.']
    ] as const) {
      const raw = new BetterSqlite3(file)
      raw.pragma(pragma)
      raw.pragma('wal_checkpoint(TRUNCATE)')
      raw.close()
      const before = readFileSync(file)
      const refused = await call('users list')
      t.equal(refused.exitCode, 1)
      t.match(refused.notes, says)
      t.ok(readFileSync(file).equals(before))
    }
  }
)

t.test('help and version say what there is', async (t) => {
  const { call, data } = program(t)
  const help = await call('--help')
  t.equal(help.exitCode, 0)
  for (const name of ['serve', 'users', 'keys', 'openapi']) t.match(help.out, name)
  for (const [args, words] of Object.entries({
    'users create --help': ['--name', '--email', '--tier', '--data', '--json'],
    'keys create --help': ['--user', '--permissions', '--expires'],
    'serve --help': ['--port', '--host', '--data']
  })) {
    for (const word of words) t.match((await call(args)).out, word)
  }
  t.strictSame(await call('--version'), { exitCode: 0, out: VERSION, notes: '', server: undefined })
  t.notOk(existsSync(data), 'asking for help makes no data')
})

t.test('--data goes before the environment', async (t) => {
  const { call, data } = program(t)
  const other = path.join(path.dirname(data), 'other')
  await call(`users create --name Ada --data ${other}`)
  t.strictSame([existsSync(other), existsSync(data)], [true, false])
})

t.test('openapi prints the document and leaves nothing behind', async (t) => {
  const { call, data } = program(t)
  const { out, exitCode } = await call('openapi')
  t.match([exitCode, JSON.parse(out).openapi], [0, '3.1.0'])
  t.notOk(existsSync(data))
})

t.test(
  'serve listens, shows the first key once, and lets other commands work on the same data meanwhile',
  async (t) => {
    const { call, json } = program(t)
    const { server, notes, exitCode } = await call('serve --port 0')
    t.equal(exitCode, 0)
    t.match(
      notes,
      `Agenthall listens on ${server!.address} (console: ${server!.address}/console/, API docs: ${server!.address}/docs).`
    )
    t.match(server!.address, /^http:\/\/127\.0\.0\.1:\d+$/)
    t.ok(looksLikeKey(server!.firstKey!))
    t.equal(notes.split(server!.firstKey!).length, 5, 'alone and in three examples')
    t.equal(notes.split(server!.firstLink!).length, 2, 'a link to choose a password with stands beside it')
    const token = new RegExp(`^${server!.address}/console/#/link/([\\w-]{43})$`).exec(server!.firstLink!)?.[1]
    t.match((await server!.app.inject({ method: 'POST', url: '/v1/links/look', payload: { token } })).json().data, {
      kind: 'setup', name: null
    })
    const get = async (key: string, at = '/v1/me') =>
      await server!.app.inject({ url: at, headers: { authorization: `Api-Key ${key}` } })
    t.match((await get(server!.firstKey!)).json().data, { tier: 'enterprise', user: { name: 'Owner' } })
    const { key, user } = await json('users create --name Bob')
    t.equal((await get(key)).json().data.tier, 'free', 'a user made while the server runs')
    await call(`users update ${user.id} --tier pro`)
    t.equal((await get(key)).json().data.tier, 'pro')
    await call('keys revoke 2')
    t.equal((await get(key)).statusCode, 401, 'on the very next request')
    await server!.app.inject({
      method: 'POST', url: '/v1/agents', headers: { authorization: `Api-Key ${server!.firstKey}` }, payload: draft
    })
    await server!.close()
    const again = await call('--port 0 --host ::1 --json')
    t.equal(again.server!.firstKey, undefined)
    t.notMatch(again.notes, 'agh_')
    t.match(again.server!.address, /^http:\/\/\[::1\]:\d+$/)
    await again.server!.close()
  }
)

t.test('what somebody called a source only shows: it moves no cursor and turns no line around', async (t) => {
  t.equal(
    plain('a\u001b[31mRED\u001b]0;pwned\u0007 \u202Eb\n\tc \u0085ü'),
    'a\uFFFD[31mRED\uFFFD]0;pwned\uFFFD \uFFFDb\n\tc \uFFFDü'
  )
})

t.test('a newline in a key\'s name forges no row of "keys list"', async (t) => {
  const { data, call } = program(t)
  await call('users create --name Ada')
  const stores = await openStores({ directory: data, clock: systemClock() })
  await stores.access.createKey(1, () => ({
    name: 'harmless\n9   1   Forged\tkey\u2028\u2029', permissions: [...PERMISSIONS], expires_at: null
  }))
  await stores.close()
  const rows = (await call('keys list')).out.split('\n')
  t.equal(rows.length, 3)
  t.match(rows[2], 'harmless\uFFFD9   1   Forged\uFFFDkey\uFFFD\uFFFD')
})

t.test('a mistyped data directory does not become a new installation', async (t) => {
  const { call, data } = program(t)
  for (const args of [
    'users list', 'users update 1 --tier pro', 'keys list', 'keys create --user 1', 'keys revoke 1',
    'knowledge list --agent 1', 'backup x', 'doctor'
  ]) {
    const { exitCode, notes, out } = await call(args)
    t.equal(exitCode, 1, args)
    t.match(
      notes + out,
      `There is no Agenthall data in ${data}. There is nothing at ${data}. Say with --data or AGENTHALL_DATA where it is; "npm run -s agenthall -- serve" begins a new installation.`
    )
  }
  t.notMatch((await call('restore none.db')).exitCode, 0)
  t.notOk(existsSync(data), 'and nothing was made')
  mkdirSync(data)
  t.match((await call('users list')).notes, `There is nothing at ${data}/agenthall.db.`)
  t.strictSame(readdirSync(data), [])
  t.equal((await call('users create --name Ada')).exitCode, 0, 'the first user begins one')
  t.match(
    (await call('users list', { AGENTHALL_DATA: path.join(data, 'agenthall.db') })).notes,
    'agenthall.db is not a directory.',
    'a file in its place is named'
  )
})
