import { isIP } from 'node:net'
import path from 'node:path'
import { FormatRegistry, Type } from '@sinclair/typebox'
import { TIERS } from '../../schema/plans.ts'
import { fromKeys } from '../../schema/typed.ts'
import { LEVELS, type Level } from '../platform/http/log.ts'
import { hostList } from '../platform/net/address.ts'

const perTier = (description: string) =>
  Type.Partial(
    Type.Object(
      fromKeys(TIERS, () => Type.Integer({ minimum: 0 }))
    ),
    { additionalProperties: false, description, default: {} }
  )

/** An address or a network in CIDR form. Never all addresses: trusting everybody means believing anybody. */
FormatRegistry.Set('network', (text) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return most > 0 && rest.length === 0 && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))
})

FormatRegistry.Set('header', (text) => /^[\w-]*$/.test(text))

FormatRegistry.Set('folder', (text) => path.isAbsolute(text) && !text.includes('\0'))

FormatRegistry.Set('host', (text) => {
  try {
    hostList([text])
    return true
  } catch {
    return false
  }
})

const isMailServer = (text: string, protocols: RegExp) =>
  text === '' || (protocols.test(text) && Boolean(URL.parse(text)?.hostname))
FormatRegistry.Set('mail-out', (text) => isMailServer(text, /^smtps?:\/\/\S+$/))
FormatRegistry.Set(
  'database', (text) => text === '' || (/^postgres(?:ql)?:\/\/\S+$/.test(text) && URL.canParse(text))
)
FormatRegistry.Set(
  'redis', (text) => text === '' || (/^rediss?:\/\/\S+$/.test(text) && URL.canParse(text))
)
FormatRegistry.Set('mail-in', (text) => isMailServer(text, /^imaps?:\/\/\S+:\S+@\S+$/))
FormatRegistry.Set(
  'mail-from',
  (text) => text === '' || /^(?:[^<>\r\n]*<[^<>@\s+]{1,30}@[^<>@\s]+>|[^<>@\s+]{1,30}@[^<>@\s]+)$/.test(text)
)
FormatRegistry.Set('address', (text) => text === '' || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)))
FormatRegistry.Set(
  'base-address', (text) => text === '' || (/^https?:\/\/\S*[^/\s?#]$/.test(text) && URL.canParse(text))
)

/** Every setting. A field `PORT` is read from `AGENTHALL_PORT`; the table in docs/settings.md is made from this. */
export const Settings = Type.Object({
  PORT: Type.Integer({
    minimum: 0, maximum: 65_535, default: 8080, description: 'Port to listen on; 0 picks a free one'
  }),
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on; 0.0.0.0 for all' }),
  DATA: Type.String({ minLength: 1, default: './data', description: 'Directory that holds the data file' }),
  DATABASE: Type.String({
    format: 'database',
    default: '',
    secret: true,
    description: 'PostgreSQL database that stores the tables instead of the data file: postgres://user:password@host:port/name'
  }),
  REDIS: Type.String({
    format: 'redis',
    default: '',
    secret: true,
    description: 'Redis server that lets several servers share one AGENTHALL_DATABASE: redis://user:password@host:port/0'
  }),
  LOG_LEVEL: Type.Unsafe<Level>({
    ...Type.Union(LEVELS.map((level) => Type.Literal(level))),
    default: 'info',
    description: 'Log level: fatal, error, warn, info, debug (one line per request), trace or silent'
  }),
  BASE_URL: Type.String({
    format: 'base-address',
    default: '',
    description:
      'URL at which clients reach the server, without a trailing slash; derived from host and port when empty'
  }),
  MEDIA_URL: Type.String({
    format: 'base-address',
    default: '',
    description: 'URL under which stored files are served; the base URL followed by /media when empty'
  }),
  RATE_LIMITS: perTier('Requests per minute, per tier, as JSON, for example {"free":100,"enterprise":0}; 0: no limit'),
  TRAINING_LIMITS: perTier('Maximum bytes of training text of an agent, per tier, as JSON'),
  STORAGE_LIMITS: perTier(
    'Maximum bytes of files and texts that an account may store across all its agents, per tier, as JSON; by default 20 times the training text'
  ),
  AGENT_LIMITS: perTier(
    'Maximum agents of an account, per tier, as JSON, for example {"free":3}; 0 or missing: no limit. Ignored for tiers with ADD_ON_AGENT (enterprise)'
  ),
  ACCOUNTS_CHOOSE_TIER: Type.Boolean({
    default: false,
    description:
      'true: members with MANAGE_BILLING can move their account to any tier with `PATCH /v1/account`, so tiers limit nobody. false: accounts are moved only from the command line'
  }),
  AUTH_FAILURES: Type.Integer({
    minimum: 0,
    default: 20,
    description: 'Failed authentications per minute from one address before it is refused; 0: no limit'
  }),
  RESPONSE_MODEL: Type.String({
    minLength: 1, maxLength: 128, default: 'gpt-4o-mini', description: 'Language model of new agents'
  }),
  DISPLAY_MODEL: Type.String({
    maxLength: 128, default: '', description: 'Model name shown to people; derived from RESPONSE_MODEL when empty'
  }),
  OPENAI_KEY: Type.String({
    maxLength: 500,
    default: '',
    secret: true,
    description: 'OpenAI API key: its models then answer. Without any model, agents quote their sources'
  }),
  ANTHROPIC_KEY: Type.String({
    maxLength: 500, default: '', secret: true, description: 'Anthropic API key, for models named claude…'
  }),
  MODEL_URL: Type.String({
    format: 'address',
    default: '',
    description:
      'URL of an OpenAI-compatible server, such as http://localhost:11434/v1 for Ollama; it may be in a private network'
  }),
  MODEL_KEY: Type.String({ maxLength: 500, default: '', secret: true, description: 'Its key; none when empty' }),
  MODELS: Type.String({
    default: '',
    description:
      'Path of a JSON file with further models: [{ "match", "provider", "url", "key_file", "premium", "price", "context", "fallback" }]'
  }),
  MODEL_REDACT: Type.Boolean({
    default: false,
    description:
      "true: email addresses, card numbers and telephone numbers in visitors' messages are masked before a model reads them"
  }),
  MODEL_FIRST_BYTE: Type.Integer({
    minimum: 0,
    maximum: 600,
    default: 0,
    description:
      'Seconds that a model may take to begin its answer; 0: 15, or 120 for an address in a private network. After that the next model is asked, or the answer is quoted from the sources'
  }),
  MODEL_ANSWERS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 32,
    description: 'Maximum answers that models write at the same time; after 10 s of waiting, an answer is quoted from the sources instead'
  }),
  MODEL_ANSWERS_PER_ACCOUNT: Type.Integer({
    minimum: 1, maximum: 10_000, default: 8, description: 'Maximum of these for one account'
  }),
  ANSWER_SURE: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.65,
    description:
      'Minimum `confidence` of a passage, from 0 to 1, for its sentences to be given as the answer where no model writes it'
  }),
  ANSWER_MAYBE: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.35,
    description: 'Minimum `confidence` for its sentences to be offered as possibly helpful; below it the agent says that it does not know'
  }),
  DAILY_TOKENS: perTier(
    'Language model tokens that an account may use per day (UTC), per tier, as JSON; 0: no limit. Beyond the limit agents quote their sources. Default: {"free":250000,"pro":2500000,"enterprise":25000000}'
  ),
  DAILY_AGENT_TOKENS: perTier('The same for each agent; 0 or missing: no limit'),
  WIDGET_MESSAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 12,
    description:
      "Messages per minute from one widget visitor; 0: no limit. Visitors never use up the account's own rate limit"
  }),
  WIDGET_MESSAGES_PER_DAY: Type.Integer({ minimum: 0, default: 200, description: 'The same per 24 hours' }),
  WIDGET_SESSIONS_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 10,
    description:
      'New widget visitors per minute from one address (IPv6: one /64), which may be a whole office; 0: no limit'
  }),
  WIDGET_ANSWERS_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 60,
    description:
      'Agent answers per minute for one address (IPv6: one /64), one third of them reserved for visitors who ask at most three times in that minute; 0: no limit'
  }),
  SMTP_URL: Type.String({
    format: 'mail-out',
    default: '',
    secret: true,
    description:
      'Mail server for outgoing mail: smtp:// or smtps://user:password@host:port. Without it no mail is sent'
  }),
  MAIL_FROM: Type.String({
    format: 'mail-from',
    default: '',
    description: 'Sender of outgoing mail, such as Help <help@example.com>; replies arrive at help+…@example.com'
  }),
  MAIL_LIMITS: perTier(
    'Ticket and follow-up mails that an account may send in 24 hours, per tier, as JSON; 0: no limit. Mails beyond the limit wait. Default: {"free":50,"pro":1000,"enterprise":0}'
  ),
  IMAP_URL: Type.String({
    format: 'mail-in',
    default: '',
    secret: true,
    description:
      'Mailbox that receives replies: imap:// or imaps://user:password@host/FOLDER, checked once a minute. Alternatively a mail service can post them (`agenthall mail` shows where)'
  }),
  UPLOAD_MIB: Type.Integer({
    minimum: 1, maximum: 1024, default: 32, description: 'Maximum size of an uploaded or fetched file, in MiB'
  }),
  ALLOWED_HOSTS: Type.Array(Type.String({ format: 'host' }), {
    default: [],
    description:
      'Comma-separated hosts (host or host:port) in private networks that may be read; none by default'
  }),
  FOLDERS: Type.Array(Type.String({ format: 'folder' }), {
    default: [],
    description:
      'Comma-separated folders on this machine, including everything in them, that agents of any account may learn from and watch (feeds of the kind `folder`); none by default'
  }),
  GOOGLE_SERVICE_ACCOUNT: Type.String({
    default: '',
    description: "Path of a Google service account's JSON file, used to read Google Drive"
  }),
  OCR: Type.String({
    default: '',
    description:
      'Command that reads scanned pages: it receives an image (PNG) on standard input and prints the text, such as `tesseract` or `tesseract - - -l deu+eng`; scans are not read when empty'
  }),
  EMBEDDINGS_URL: Type.String({
    format: 'address',
    default: '',
    description:
      'OpenAI-compatible embeddings service for semantic search, such as https://api.openai.com/v1; search is by keywords only when empty'
  }),
  EMBEDDINGS_MODEL: Type.String({ maxLength: 200, default: 'text-embedding-3-small', description: 'Embeddings model' }),
  EMBEDDINGS_KEY: Type.String({ maxLength: 500, default: '', secret: true, description: 'Its key; none when empty' }),
  EMBEDDINGS_DIMENSIONS: Type.Integer({
    minimum: 1, maximum: 8192, default: 1536, description: 'Dimensions of its embeddings'
  }),
  BODY_MEMORY_MIB: Type.Integer({
    minimum: 64,
    maximum: 65_536,
    default: 128,
    description:
      'Memory for large request bodies being processed, in MiB, at most half of it for one account; further requests wait'
  }),
  BODY_DISK_MIB: Type.Integer({
    minimum: 64,
    maximum: 1_048_576,
    default: 1024,
    description: 'Disk space for large request bodies still being received, in MiB, at most half of it for one account'
  }),
  LIST_CACHE_MIB: Type.Integer({
    minimum: 0,
    maximum: 65_536,
    default: 32,
    description: 'Memory for responses that are cached until their content changes, in MiB'
  }),
  BACKUP_EVERY: Type.String({
    pattern: '^([1-9]\\d{0,3}[mhd])?$',
    default: '',
    description: 'How often the server backs up its data, such as 30m, 24h or 7d; never when empty'
  }),
  BACKUP_KEEP: Type.Integer({
    minimum: 1, maximum: 10_000, default: 7, description: 'How many of these backups are kept'
  }),
  AUDIT_DAYS: Type.Integer({
    minimum: 1, maximum: 36_500, default: 365, description: 'Days for which audit log entries of an account are kept'
  }),
  BACKUP_DIR: Type.String({
    default: '',
    description: 'Folder for backups; backups in the data directory when empty. Another disk is safer'
  }),
  TRUST_PROXY: Type.Array(Type.String({ format: 'network' }), {
    default: [],
    description:
      'Comma-separated addresses or networks (10.0.0.0/8) of the proxies in front; X-Forwarded-For is trusted only from these'
  }),
  CITY_HEADER: Type.String({
    format: 'header',
    maxLength: 100,
    default: '',
    description:
      "Header in which the proxy names the visitor's town, such as cf-ipcity; trusted only from AGENTHALL_TRUST_PROXY. No town is stored when empty"
  }),
  MAX_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2000,
    description:
      'Maximum concurrent connections; 64 more are accepted only to be answered with 503. Keep it below the limit of open files'
  }),
  MAX_CONNECTIONS_PER_ADDRESS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    description: 'Maximum of these from one address, which may be a proxy; 0: no limit'
  }),
  WEB_PUSH: Type.Boolean({
    default: true,
    description:
      'Whether people are notified while their console is closed, through the push services of their browsers (docs/notifications.md); false: nothing is sent to these'
  }),
  METRICS: Type.Unsafe<'loopback' | 'open'>({
    ...Type.Union([Type.Literal('loopback'), Type.Literal('open')]),
    default: 'loopback',
    description: 'Who may read /metrics: loopback (this machine, not through a proxy) or open (anyone who can reach it)'
  })
})
