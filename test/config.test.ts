import t from 'tap'
import { readConfig, settingsTable, Settings } from '../src/config.ts'
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
    HOST: '127.0.0.1',
    DATA: './data',
    LOG_LEVEL: 'info',
    BASE_URL: '',
    MEDIA_URL: '',
    RATE_LIMITS: { free: 100, pro: 1000, enterprise: 10_000 },
    TRAINING_LIMITS: { free: 31_457_280, pro: 31_457_280, enterprise: 31_457_280 },
    STORAGE_LIMITS: { free: 629_145_600, pro: 629_145_600, enterprise: 629_145_600 },
    AUTH_FAILURES: 20,
    RESPONSE_MODEL: 'gpt-4o-mini',
    DISPLAY_MODEL: '',
    UPLOAD_MIB: 32,
    ALLOWED_HOSTS: [],
    GOOGLE_SERVICE_ACCOUNT: '',
    EMBEDDINGS_URL: '',
    EMBEDDINGS_MODEL: 'text-embedding-3-small',
    EMBEDDINGS_KEY: '',
    EMBEDDINGS_DIMENSIONS: 1536,
    BODY_MEMORY_MIB: 128,
    BODY_DISK_MIB: 1024,
    LIST_CACHE_MIB: 32,
    BACKUP_EVERY: '',
    BACKUP_KEEP: 7,
    BACKUP_DIR: '',
    TRUST_PROXY: [],
    MAX_CONNECTIONS: 2000,
    MAX_CONNECTIONS_PER_ADDRESS: 1000,
    METRICS: 'loopback'
  })
})

t.test('a flag goes before the environment, and a tier that is not named keeps its number', async (t) => {
  const config = readConfig({ AGENTHALL_PORT: '1', AGENTHALL_HOST: '::', AGENTHALL_RATE_LIMITS: '{"free":5,"enterprise":0}' }, { PORT: '2', HOST: undefined })
  t.match(config, { PORT: 2, HOST: '::', RATE_LIMITS: { free: 5, pro: 1000, enterprise: 0 } })
})

t.test('all wrong settings are named at once, with what they are for, and never with their value', async (t) => {
  const said = complaintsOf({ AGENTHALL_PORT: 'secret1', AGENTHALL_LOG_LEVL: 'secret2', AGENTHALL_BASE_URL: 'secret3', AGENTHALL_RATE_LIMITS: '{"gold":1}', AGENTHALL_X: 'secret4', AGENTHALL_TRAINING_LIMITS: '{secret5' })
  t.equal(said, `Wrong settings:
  AGENTHALL_LOG_LEVL is not a setting; did you mean "AGENTHALL_LOG_LEVEL"?
  AGENTHALL_X is not a setting
  AGENTHALL_PORT is not usable: Port to listen on; 0 picks a free one
  AGENTHALL_BASE_URL is not usable: ${Settings.properties.BASE_URL.description}
  AGENTHALL_RATE_LIMITS is not usable: ${Settings.properties.RATE_LIMITS.description}
  AGENTHALL_TRAINING_LIMITS is not usable: ${Settings.properties.TRAINING_LIMITS.description}`)
  for (const [name, values] of Object.entries({ PORT: ['-1', '65536', '1.5', '0x50', ' 80', '1e3'], HOST: [], BASE_URL: ['example.com', 'ftp://x', 'https://x/'], RATE_LIMITS: ['5', '[]', '{"free":-1}', '{"free":"1"}', 'null'], LOG_LEVEL: ['INFO', 'loud'], AUTH_FAILURES: ['-1', 'x'] })) {
    for (const value of values) t.match(complaintsOf({ [`AGENTHALL_${name}`]: value }), `AGENTHALL_${name} is not usable`, `${name}=${value}`)
  }
})

t.test('every setting says what it is, and the table shows each', async (t) => {
  const rows = settingsTable().split('\n').slice(2)
  t.equal(rows.length, Object.keys(Settings.properties).length)
  for (const row of rows) t.match(row, /^\| `AGENTHALL_[A-Z_]+` \| (`[^`]+`)? \| \S.* \|$/)
})

t.test('the address clients use is the setting, or where the server listens', async (t) => {
  const at = (env: Record<string, string>, port?: number) => addressOf({ server: { address: () => port === undefined ? null : { port } } } as unknown as Awaited<ReturnType<typeof buildApp>>, readConfig(env))
  t.equal(at({}), 'http://127.0.0.1:8080')
  t.equal(at({ AGENTHALL_HOST: '::1' }, 81), 'http://[::1]:81')
  t.equal(at({ AGENTHALL_BASE_URL: 'https://example.com/hall' }, 81), 'https://example.com/hall')
})
