import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { filesIn } from '../../src/cli/knowledge/add.ts'

/** The program on a data directory with a user, in this process; the arguments as the shell passes them. */
async function program (t: Test) {
  const root = t.testdir({})
  const data = path.join(root, 'data')
  async function call (...args: string[]) {
    const out: string[] = []
    const notes: string[] = []
    const { exitCode } = await run(args, {
      env: { AGENTHALL_DATA: data, AGENTHALL_TRAINING_LIMITS: '{"enterprise":100000}' },
      out: (text) => out.push(text),
      note: (text) => notes.push(text)
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n') }
  }
  const json = async (...args: string[]) => JSON.parse((await call(...args, '--json')).out)
  await call('users', 'create', '--name', 'Ada')
  return { root, data, call, json }
}

t.test('agents are made, listed, shown, changed and deleted', async (t) => {
  const { root, call, json } = await program(t)
  t.equal((await call('agents', 'list')).out, 'No agents found.')
  t.match(
    await call(
      'agents', 'create', '--name', 'Shop', '--prompt', 'You help.', '--set', 'model.temperature=0.2', '--set',
      'appearance.welcomeMessage=Hello'
    ),
    { exitCode: 0, out: 'Agent 1 (Shop) of user 1.' }
  )
  const file = path.join(root, 'fields.json')
  writeFileSync(file, JSON.stringify({ name: 'From a file', systemPrompt: 'x', agentType: 'Sales Agent' }))
  t.match(await json('agents', 'create', '--from', file, '--description', 'about orders', '--status', 'Inactive'), {
    id: 2, name: 'From a file', type: 'Sales Agent', status: 'Inactive'
  })
  t.match((await call('agents', 'list')).out.split('\n'), [
    /^ID {2}OWNER {2}NAME +STATUS +TYPE +SOURCES {2}BYTES {2}UPDATED$/,
    /^1 +1 +Shop +Active +General Assistant +0 +0 +2/,
    /^2 +1 +From a file +Inactive/
  ])
  const ids = async (...filters: string[]) =>
    (await json('agents', 'list', ...filters)).map(({ id }: { id: number }) => id)
  t.strictSame(
    [
      await ids('--user', '1'),
      await ids('--user', '9'),
      await ids('--status', 'Active'),
      await ids('--type', 'sales_agent'),
      await ids('--search', 'ORDERS')
    ],
    [[1, 2], [], [1], [2], [2]]
  )
  t.match(await json('agents', 'show', '1'), {
    id: 1, model: { temperature: 0.2 }, appearance: { welcomeMessage: 'Hello' }, systemPrompt: 'You help.'
  })
  t.match((await call('agents', 'show', '1')).out, /^ID .*\n1 .*\n\n\{\n {2}"name": "Shop",/)
  t.equal(
    (await call('agents', 'update', '1', '--name', 'Store', '--set', 'behavior.suggestions=["a"]')).out,
    'Agent 1 (Store) is changed.'
  )
  t.match(
    await json('agents', 'show', '1'),
    { name: 'Store', behavior: { suggestions: ['a'] }, model: { temperature: 0.2 } },
    'what is not named stays'
  )
  t.equal((await call('agents', 'delete', '2')).out, 'Agent 2 (From a file) is deleted.')
  t.strictSame(await ids(), [1])
})

t.test('what is wrong about an agent gets a sentence and changes nothing', async (t) => {
  const { root, call, json } = await program(t)
  await call('agents', 'create', '--name', 'Shop', '--prompt', 'x')
  const file = path.join(root, 'list.json')
  writeFileSync(file, '[]')
  const torn = path.join(root, 'torn.json')
  writeFileSync(torn, '{"name": "Sh')
  const shown = '"npm run -s agenthall -- agents list" lists them.'
  const wrong: Array<[args: string[], says: string]> = [
    [['agents', 'create', '--name', 'x'], 'systemPrompt is required.'],
    [
      ['agents', 'create', '--name', 'x', '--prompt', 'x', '--set', 'model.temprature=1', '--set', 'foo=1'],
      'foo is not a known field.\nmodel.temprature is not a known field; did you mean "temperature"?'
    ],
    [
      ['agents', 'create', '--name', 'x', '--prompt', 'x', '--set', 'nonsense'],
      '--set nonsense must be a field and its value, such as model.temperature=0.2.'
    ],
    [
      ['agents', 'create', '--user', '9', '--name', 'x', '--prompt', 'x'],
      'There is no user 9; "npm run -s agenthall -- users list" lists them.'
    ],
    [['agents', 'create', '--from', file], `${file} does not hold a JSON object.`],
    [['agents', 'create', '--from', torn], `${torn} does not hold a JSON object.`],
    [
      ['agents', 'create', '--from', path.join(root, 'none.json')],
      `${root}/none.json cannot be used. There is nothing at ${root}/none.json.`
    ],
    [['agents', 'update', '1'], 'Say what to change: --name, --description, --prompt, --status, --set or --from.'],
    [['agents', 'update', '9', '--name', 'x'], `There is no agent 9; ${shown}`],
    [['agents', 'show', 'x'], 'agents must be a number, as "npm run -s agenthall -- agents list" shows it.'],
    [['agents', 'delete', '9'], `There is no agent 9; ${shown}`],
    [['agents', 'export', '9'], `There is no agent 9; ${shown}`],
    [['agents', 'list', '--status', 'active'], '--status must be Active or Inactive.'],
    [['agents', 'import', file], `${file} does not hold a JSON object.`]
  ]
  for (const [args, says] of wrong) {
    t.strictSame(await call(...args), { exitCode: 1, out: '', notes: says }, args.join(' '))
  }
  await call('users', 'create', '--name', 'Bob')
  t.equal(
    (await call('agents', 'create', '--name', 'x', '--prompt', 'x')).notes,
    'Use --user to say whose agent it is; "npm run -s agenthall -- users list" lists them.'
  )
  t.match(
    (await call('agents', 'create', '--user', '2', '--name', 'x', '--prompt', 'x', '--set', 'is_white_label=true'))
      .notes,
    /WHITE_LABELING/,
    'the tier counts here too'
  )
  t.strictSame((await json('agents', 'list')).map(({ name }: { name: string }) => name), ['Shop'])
})

t.test('an agent in a file becomes an equal one on another installation', async (t) => {
  const { root, call, json } = await program(t)
  const other = path.join(root, 'other')
  await call('users', 'create', '--name', 'Bob', '--data', other)
  // Longer than one piece of a stored text.
  const long = 'Opening hours. '.repeat(6000)
  const shop = {
    format: 'agenthall-agent',
    version: 1,
    agent: {
      name: 'Shop', systemPrompt: 'You help.', model: { temperature: 0.2 }, behavior: { suggestions: ['a', 'b'] }
    },
    vocabulary: [{ term: 'Aurora', means: ['kettle'] }],
    folders: [
      { id: 7, parent: 8, name: 'Old' }, { id: 8, parent: 9, name: 'Manuals' }, { id: 9, parent: null, name: 'All' }
    ],
    sources: [
      { type: 'docs', title: 'A file', folder: 7, is_selected: true, file_name: 'a.txt', file: '//5BAA==' },
      { type: 'text', title: 'Hours', folder: 9, is_selected: false, plain_text: long },
      {
        type: 'website',
        title: 'Help',
        folder: 8,
        is_selected: true,
        urls: ['https://example.com/help'],
        crawl: { depth: 2, count: 500, refresh_hours: null, include: ['/help/*'], exclude: ['/help/old/*'] }
      },
      { type: 'google_drive', title: 'Drive', folder: 9, is_selected: true, google_drive_file_id: 'abc_123' }
    ]
  }
  writeFileSync(path.join(root, 'made.json'), JSON.stringify(shop))
  t.equal(
    (await call('agents', 'import', path.join(root, 'made.json'))).out,
    'Agent 1 (Shop) of user 1, with 4 sources to be trained.'
  )
  const file = path.join(root, 'shop.json')
  t.strictSame(await call('agents', 'export', '1', file), {
    exitCode: 0, out: `Agent 1 is in ${file}, with 4 sources.`, notes: ''
  })
  t.equal(statSync(file).mode & 0o077, 0, 'only its owner may read it')
  t.equal(
    (await call('agents', 'export', '1', file)).notes,
    `${file} already exists. Choose another name, or use --force to replace it.`
  )
  t.equal((await call('agents', 'export', '1', file, '--force')).exitCode, 0)
  t.match(
    (await call('agents', 'export', '1', path.join(root, 'none/x.json'))).notes, `There is no directory ${root}/none.`
  )

  t.equal(
    (await call('agents', 'import', file, '--data', other)).out,
    'Agent 1 (Shop) of user 1, with 4 sources to be trained.'
  )
  const again = (await call('agents', 'export', '1', '--data', other)).out
  const [first, second] = [readFileSync(file, 'utf8'), again].map((text) => {
    const { agent, vocabulary, folders, sources } = JSON.parse(text)
    const called = new Map(folders.map(({ id, name }: { id: number, name: string }) => [id, name]))
    return {
      agent,
      vocabulary,
      folders: folders.map(({ name, parent }: { name: string, parent: number | null }) => [
        name, called.get(parent ?? 0)
      ]),
      sources: sources.map((source: { folder: number }) => ({ ...source, folder: called.get(source.folder) }))
    }
  })
  t.strictSame(second, first)
  t.strictSame(first!.folders, [['All', undefined], ['Manuals', 'All'], ['Old', 'Manuals']])
  t.strictSame(
    first!.sources,
    shop.sources.map((source) => ({ ...source, folder: shop.folders.find(({ id }) => id === source.folder)!.name }))
  )
  t.match(first!.agent, shop.agent)
  t.strictSame(first!.vocabulary, shop.vocabulary)

  const broken = JSON.parse(again)
  const attempts: Array<[change: (portable: typeof broken) => void, says: string | RegExp]> = [
    [
      (portable) => {
        portable.sources[0].folder = 99
      },
      'The source A file is in a folder that the file does not hold.'
    ],
    [
      (portable) => {
        portable.folders[1].parent = 99
      },
      'The folder Manuals is in one that the file does not hold.'
    ],
    [
      (portable) => {
        portable.sources[1].is_selected = true
        portable.sources[1].plain_text = 'x'.repeat(100_001)
      },
      'This would add 100001 bytes of text'
    ],
    [
      (portable) => {
        portable.version = 2
      },
      'version must be 1.'
    ],
    [
      (portable) => {
        delete portable.agent.name
      },
      'agent.name is required.'
    ]
  ]
  for (const [change, says] of attempts) {
    const portable = structuredClone(broken)
    change(portable)
    writeFileSync(path.join(root, 'broken.json'), JSON.stringify(portable))
    const { exitCode, notes } = await call('agents', 'import', path.join(root, 'broken.json'))
    t.equal(exitCode, 1)
    t.match(notes, says)
  }
  t.equal((await json('agents', 'list')).length, 1, 'all of it or nothing')
})

t.test('sources are filtered, trained again and removed, and a directory brings its files', async (t) => {
  const { root, call, json } = await program(t)
  writeFileSync(path.join(root, 'shop.json'), JSON.stringify({
    format: 'agenthall-agent',
    version: 1,
    agent: { name: 'Shop', systemPrompt: 'x' },
    folders: [{ id: 1, parent: null, name: 'Root' }, { id: 2, parent: 1, name: 'Manuals' }],
    sources: [
      { type: 'text', title: 'Hours', folder: 2, is_selected: true, plain_text: 'We open at nine.' },
      { type: 'google_drive', title: 'Drive', folder: 1, is_selected: true, google_drive_file_id: 'abc_123' }
    ]
  }))
  await call('agents', 'import', path.join(root, 'shop.json'))
  const ids = async (...filters: string[]) =>
    (await json('knowledge', 'list', '--agent', '1', ...filters)).map(({ id }: { id: number }) => id)
  t.strictSame(
    [
      await ids('--status', 'Pending'),
      await ids('--status', 'Failed'),
      await ids('--type', 'text'),
      await ids('--folder', 'Manuals'),
      await ids('--folder', '1')
    ],
    [[1, 2], [], [1], [1], [2]]
  )
  const docs = path.join(root, 'docs')
  mkdirSync(path.join(docs, 'sub'), { recursive: true })
  for (const name of ['a.txt', '.hidden', 'sub/b.md']) writeFileSync(path.join(docs, name), 'x')
  t.strictSame(filesIn(docs), [path.join(docs, 'a.txt'), path.join(docs, 'sub/b.md')])
  t.strictSame(filesIn(path.join(docs, 'a.txt')), [path.join(docs, 'a.txt')])
  mkdirSync(path.join(root, 'empty'))
  t.equal(
    (await call('knowledge', 'add', '--agent', '1', path.join(root, 'empty'))).notes,
    `There are no files in ${path.join(root, 'empty')}.`
  )
  t.match(await call('knowledge', 'retrain', '--agent', '1', '2'), {
    exitCode: 1, notes: /Drive: google_drive_not_configured.*1 of 1 ended Failed\.$/s
  })
  t.match(await call('knowledge', 'retrain', '--agent', '1', '--failed'), {
    exitCode: 1, notes: /1 of 1 ended Failed\.$/
  })
  t.strictSame(await call('knowledge', 'remove', '--agent', '1', '1'), {
    exitCode: 0, out: 'Source 1 is removed.', notes: ''
  })
  t.strictSame(await ids(), [2])
  t.match(
    (await call('knowledge', 'folders', '--agent', '1', '--remove', 'Manuals')).out,
    /^ID {2}NAME {2}IN\n1 {3}Root {2}–$/
  )
  const wrong: Array<[args: string[], says: string]> = [
    [
      ['remove', '9'],
      'Agent 1 has no source 9; "npm run -s agenthall -- knowledge list --agent 1" shows which it has.'
    ],
    [['remove', 'x'], 'source must be a number, as "npm run -s agenthall -- knowledge list" shows it.'],
    [['retrain'], 'Give either the numbers of sources or --failed.'],
    [
      ['retrain', '9'],
      'Agent 1 has no source 9; "npm run -s agenthall -- knowledge list --agent 1" shows which it has.'
    ],
    [['list', '--status', 'failed'], '--status must be one of Pending, Processing, Success, Failed.'],
    [['list', '--type', 'pdf'], '--type must be one of docs, website, text, google_drive'],
    [['folders', '--add', ' '], "A folder's name must be 1 to 200 characters."],
    [['folders', '--add', 'a', '--remove', 'b'], 'Give one of --add, --rename, --remove.'],
    [['folders', '--rename', 'a'], '--rename and --to go together.'],
    [['folders', '--in', 'a'], '--in goes with --add.']
  ]
  for (const [[name, ...args], says] of wrong) {
    t.match(
      await call('knowledge', name!, '--agent', '1', ...args),
      { exitCode: 1, out: '', notes: says },
      `${name} ${args.join(' ')}`
    )
  }
})

t.test('users are filtered and deleted, with their agents only when that is said', async (t) => {
  const { call, json } = await program(t)
  await call('users', 'create', '--name', 'Bob', '--email', 'bob@example.com')
  await call('agents', 'create', '--user', '2', '--name', 'Shop', '--prompt', 'x')
  const ids = async (...filters: string[]) =>
    (await json('users', 'list', ...filters)).map(({ id }: { id: number }) => id)
  t.strictSame(
    [await ids('--tier', 'free'), await ids('--search', 'EXAMPLE.com'), await ids('--search', 'ada')], [[2], [2], [1]]
  )
  t.equal(
    (await call('users', 'delete', '2')).notes,
    'User 2 has an agent, which would be deleted too. Use --agents to delete them.'
  )
  t.strictSame(await json('users', 'delete', '2', '--agents'), { id: 2, agents: [1] })
  t.strictSame([await ids(), await json('agents', 'list'), (await json('keys', 'list')).length], [[1], [], 1])
  t.match(await call('users', 'delete', '2'), {
    exitCode: 1, notes: 'There is no user 2; "npm run -s agenthall -- users list" lists them.'
  })
  await call('users', 'create', '--name', 'Eve')
  t.equal((await call('users', 'delete', '3')).out, 'User 3 is deleted.')
})

t.test('a lost first key is explained by "users list"', async (t) => {
  const { call, json } = await program(t)
  t.match(
    (await call('users', 'list')).out,
    /\n\nUser 1 has never used a key\. If it is lost, "npm run -s agenthall -- keys create --user 1" makes another: a key is shown only once\.$/
  )
  await call('keys', 'revoke', '1')
  t.match((await call('users', 'list')).out, 'User 1 has no key that works. If it is lost,')
  t.strictSame(await json('keys', 'list', '--usable'), [])
})

t.test('every help shows examples that name the command as it is called', async (t) => {
  const { call } = await program(t)
  const groups = {
    users: ['create', 'list', 'update', 'delete'],
    keys: ['create', 'list', 'revoke'],
    agents: ['list', 'show', 'create', 'update', 'delete', 'export', 'import'],
    knowledge: ['add', 'list', 'search', 'remove', 'retrain', 'folders']
  }
  const all = [
    [],
    ['serve'],
    ['backup'],
    ['restore'],
    ['doctor'],
    ['health'],
    ['openapi'],
    ['licenses'],
    ['chat'],
    ['models'],
    ...Object.entries(groups).flatMap(([group, names]) => [[group], ...names.map((name) => [group, name])])
  ]
  for (const args of all) {
    t.match(
      (await call(...args, '--help')).out,
      new RegExp(`Examples:\\n  npm run -s agenthall -- ${args.join(' ')}`),
      args.join(' ')
    )
  }
})

t.test('health says whether the server takes requests', async (t) => {
  const { call, data } = await program(t)
  const { server } = await run(['serve', '--port', '0', '--data', data], {
    env: { AGENTHALL_LOG_LEVEL: 'silent' }, out: () => {}, note: () => {}
  })
  const { port } = new URL(server!.address)
  t.strictSame(await call('health', '--port', port), {
    exitCode: 0, out: `The server at 127.0.0.1:${port} takes requests.`, notes: ''
  })
  await server!.close()
  t.match(await call('health', '--port', port), {
    exitCode: 1, out: '', notes: `The server at 127.0.0.1:${port} does not take requests: `
  })
  const notes: string[] = []
  const open = await run(['serve', '--port', '0', '--host', '0.0.0.0', '--data', data], {
    env: { AGENTHALL_LOG_LEVEL: 'silent' }, out: () => {}, note: (note) => { notes.push(note) }
  })
  await open.server!.close()
  t.match(notes, [/^AGENTHALL_BASE_URL is missing: the server listens on all addresses/, /^Agenthall listens on/])
})
