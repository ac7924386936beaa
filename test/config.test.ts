import t from 'tap'
import { readConfig, settingsTable } from '../src/config.ts'
import { Settings } from '../src/kernel/settings.ts'
import { addressOf, buildApp } from '../src/app.ts'
import { Refusal } from '../src/platform/errors.ts'

const complaintsOf = (env: Record<string, string>, flags = {}) => {
  try {
    readConfig(env, flags)
  } catch (error) {
    return (error as Refusal).message
  }
}

t.test('without settings there are these defaults', async (t) => {
  t.strictSame(readConfig({ PATH: '/bin', AGENTHALL_PORT: '', AGENTHALL_HOST: undefined }), {
    PORT: 8080,
    AGENT_LIMITS: {},
    ACCOUNTS_CHOOSE_TIER: false,
    HOST: '127.0.0.1',
    DATA: './data',
    DATABASE: '',
    REDIS: '',
    LOG_LEVEL: 'info',
    BASE_URL: '',
    MEDIA_URL: '',
    RATE_LIMITS: { free: 100, pro: 1000, enterprise: 10_000 },
    TRAINING_LIMITS: { free: 31_457_280, pro: 31_457_280, enterprise: 31_457_280 },
    STORAGE_LIMITS: { free: 629_145_600, pro: 629_145_600, enterprise: 629_145_600 },
    AUTH_FAILURES: 20,
    RESPONSE_MODEL: 'gpt-4o-mini',
    DISPLAY_MODEL: '',
    OPENAI_KEY: '',
    ANTHROPIC_KEY: '',
    MODEL_URL: '',
    SMTP_URL: '',
    MAIL_FROM: '',
    MAIL_LIMITS: { free: 50, pro: 1000, enterprise: 0 },
    IMAP_URL: '',
    MODEL_KEY: '',
    MODELS: '',
    MODEL_REDACT: false,
    MODEL_FIRST_BYTE: 0,
    MODEL_ANSWERS: 32,
    MODEL_ANSWERS_PER_ACCOUNT: 8,
    ANSWER_SURE: 0.65,
    ANSWER_MAYBE: 0.35,
    DAILY_TOKENS: { free: 250_000, pro: 2_500_000, enterprise: 25_000_000 },
    DAILY_AGENT_TOKENS: {},
    WIDGET_MESSAGES_PER_MINUTE: 12,
    WIDGET_MESSAGES_PER_DAY: 200,
    WIDGET_SESSIONS_PER_MINUTE: 10,
    WIDGET_ANSWERS_PER_MINUTE: 60,
    UPLOAD_MIB: 32,
    ALLOWED_HOSTS: [],
    FOLDERS: [],
    GOOGLE_SERVICE_ACCOUNT: '',
    OCR: '',
    EMBEDDINGS_URL: '',
    EMBEDDINGS_MODEL: 'text-embedding-3-small',
    EMBEDDINGS_KEY: '',
    EMBEDDINGS_DIMENSIONS: 1536,
    BODY_MEMORY_MIB: 128,
    BODY_DISK_MIB: 1024,
    LIST_CACHE_MIB: 32,
    BACKUP_EVERY: '',
    BACKUP_KEEP: 7,
    AUDIT_DAYS: 365,
    BACKUP_DIR: '',
    TRUST_PROXY: [],
    CITY_HEADER: '',
    MAX_CONNECTIONS: 2000,
    MAX_CONNECTIONS_PER_ADDRESS: 1000,
    WEB_PUSH: true,
    METRICS: 'loopback'
  })
})

t.test('a flag goes before the environment, and a tier that is not named keeps its number', async (t) => {
  const config = readConfig(
    { AGENTHALL_PORT: '1', AGENTHALL_HOST: '::', AGENTHALL_RATE_LIMITS: '{"free":5,"enterprise":0}' },
    { PORT: '2', HOST: undefined }
  )
  t.match(config, { PORT: 2, HOST: '::', RATE_LIMITS: { free: 5, pro: 1000, enterprise: 0 } })
})

t.test('every setting can be given as its default is, and how sure an answer must be with decimals', async (t) => {
  const usual = readConfig({})
  for (const [name, { default: fallback }] of Object.entries<{ default?: unknown }>(Settings.properties)) {
    if (!['number', 'boolean', 'string'].includes(typeof fallback) || fallback === '') continue
    const given = readConfig({ [`AGENTHALL_${name}`]: String(fallback) })
    t.same(given[name as keyof typeof given], usual[name as keyof typeof usual], name)
  }
  t.match(readConfig({ AGENTHALL_ANSWER_SURE: '0.8', AGENTHALL_ANSWER_MAYBE: '0' }), { ANSWER_SURE: 0.8, ANSWER_MAYBE: 0 })
})

t.test('all wrong settings are named at once, with value, fault and range', async (t) => {
  const said = complaintsOf({
    AGENTHALL_PORT: 'abc',
    AGENTHALL_LOG_LEVL: 'loud',
    AGENTHALL_LOG_LEVEL: 'loud',
    AGENTHALL_AUTH_FAILURES: '-1',
    AGENTHALL_RATE_LIMITS: '{"gold":1}',
    AGENTHALL_ALLOWED_HOSTS: 'a.example,http://x/y',
    AGENTHALL_BACKUP_EVERY: '1y',
    AGENTHALL_TRUST_PROXY: '10.0.0.0/99',
    AGENTHALL_X: 'y'
  })
  const described = (name: keyof typeof Settings.properties) => `(${Settings.properties[name].description})`
  t.equal(
    said,
    `Wrong settings:
  AGENTHALL_LOG_LEVL is not a setting; did you mean "AGENTHALL_LOG_LEVEL"?
  AGENTHALL_X is not a setting
  AGENTHALL_PORT is "abc"; it must be a whole number from 0 to 65535. ${described('PORT')}
  AGENTHALL_LOG_LEVEL is "loud"; it must be one of silent, fatal, error, warn, info, debug, trace. ${described('LOG_LEVEL')}
  AGENTHALL_RATE_LIMITS is "{"gold":1}"; it must be JSON with a whole number, 0 or more, for any of free, pro, enterprise, such as {"free":100}. ${described('RATE_LIMITS')}
  AGENTHALL_AUTH_FAILURES is "-1"; it must be a whole number, 0 or more. ${described('AUTH_FAILURES')}
  AGENTHALL_ALLOWED_HOSTS is "a.example,http://x/y"; it must be a list with commas between; each entry a host or host:port, without http:// and without a path. ${described('ALLOWED_HOSTS')}
  AGENTHALL_BACKUP_EVERY is "1y"; it must be a number from 1 to 9999 followed by m, h or d. ${described('BACKUP_EVERY')}
  AGENTHALL_TRUST_PROXY is "10.0.0.0/99"; it must be a list with commas between; each entry an IP address or a network such as 10.0.0.0/8. ${described('TRUST_PROXY')}`
  )
  for (const [name, values] of Object.entries({
    PORT: ['-1', '65536', '1.5', '0x50', ' 80', '1e3'],
    HOST: [],
    BASE_URL: ['example.com', 'ftp://x', 'https://x/', 'http://a b'],
    EMBEDDINGS_URL: ['x'],
    RATE_LIMITS: ['5', '[]', '{"free":-1}', '{"free":"1"}', 'null', '{'],
    LOG_LEVEL: ['INFO', 'loud'],
    AUTH_FAILURES: ['-1', 'x'],
    ANSWER_SURE: ['1.5', '-0.1', 'x', '.5', '0,5', '1e-1']
  })) {
    for (const value of values) {
      t.match(
        complaintsOf({ [`AGENTHALL_${name}`]: value }),
        `AGENTHALL_${name} is "${value}"; it must be `,
        `${name}=${value}`
      )
    }
  }
  t.match(
    complaintsOf({}, { PORT: 'x', DATA: '' }),
    '--port is "x"; it must be a whole number from 0 to 65535. (Port to listen on; 0 picks a free one)\n  --data is ""; it must be a text that is not empty.',
    'a flag is called what it is called'
  )
})

t.test('a database has an address of its own kind, and backups of its own', async (t) => {
  const complaint = (env: Record<string, string>) => {
    try {
      return readConfig(env).DATABASE
    } catch (error) {
      return (error as Error).message
    }
  }
  t.match(complaint({ AGENTHALL_DATABASE: 'mysql://ada:secret@db/x' }), /AGENTHALL_DATABASE is not usable; it must be an address such as postgres:/)
  t.notMatch(complaint({ AGENTHALL_DATABASE: 'mysql://ada:secret@db/x' }), 'secret')
  const address = 'postgres://ada:secret@db.internal:5432/agenthall'
  t.match(complaint({ AGENTHALL_DATABASE: address, AGENTHALL_BACKUP_EVERY: '1d' }), /the tools of PostgreSQL make backups/)
  t.equal(complaint({ AGENTHALL_DATABASE: address }), address)
})

t.test('where visitors are is believed from proxies alone, so these have to be named', async (t) => {
  const [AGENTHALL_CITY_HEADER, AGENTHALL_TRUST_PROXY] = ['CF-IPCity', '10.0.0.0/8']
  t.equal(readConfig({ AGENTHALL_CITY_HEADER, AGENTHALL_TRUST_PROXY }).CITY_HEADER, 'CF-IPCity')
  t.match(complaintsOf({ AGENTHALL_CITY_HEADER }), 'AGENTHALL_CITY_HEADER is trusted only from proxies: name them in AGENTHALL_TRUST_PROXY')
  t.match(
    complaintsOf({ AGENTHALL_CITY_HEADER: 'cf ipcity:', AGENTHALL_TRUST_PROXY }),
    'AGENTHALL_CITY_HEADER is "cf ipcity:"; it must be the name of a header such as cf-ipcity, or empty.'
  )
})

t.test('a wrong setting shows no secret and no end of itself', async (t) => {
  t.match(
    complaintsOf({ AGENTHALL_EMBEDDINGS_KEY: 'k'.repeat(501) }),
    'AGENTHALL_EMBEDDINGS_KEY is not usable; it must be at most 500 characters. (Its key; none when empty)'
  )
  t.match(complaintsOf({ AGENTHALL_BASE_URL: 'https://ada:secret@example.com/' }), 'is "https://…@example.com/"')
  t.match(
    complaintsOf({ AGENTHALL_RESPONSE_MODEL: 'm'.repeat(129) }),
    `is "${'m'.repeat(60)}…"; it must be a text of 1 to 128 characters.`
  )
  t.match(complaintsOf({ AGENTHALL_METRICS: 'a\u001b[31m\nb' }), 'is "a\uFFFD[31m\uFFFDb"')
})

t.test('every setting says what it is, and the table shows each', async (t) => {
  const rows = settingsTable().split('\n').slice(2)
  t.equal(rows.length, Object.keys(Settings.properties).length)
  for (const row of rows) t.match(row, /^\| `AGENTHALL_[A-Z_]+` \| (`[^`]+`)? \| \S.* \|$/)
})

t.test('the address clients use is the setting, or where the server listens', async (t) => {
  const at = (env: Record<string, string>, port?: number) =>
    addressOf(
      { server: { address: () => (port === undefined ? null : { port }) } } as unknown as Awaited<
        ReturnType<typeof buildApp>
      >,
      readConfig(env)
    )
  t.equal(at({}), 'http://127.0.0.1:8080')
  t.equal(at({ AGENTHALL_HOST: '::1' }, 81), 'http://[::1]:81')
  t.equal(at({ AGENTHALL_HOST: '0.0.0.0' }, 81), 'http://localhost:81', 'nobody can go to all addresses')
  t.equal(at({ AGENTHALL_BASE_URL: 'https://example.com/hall' }, 81), 'https://example.com/hall')
})
