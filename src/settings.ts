import { isIP } from 'node:net'
import path from 'node:path'
import { FormatRegistry, Type } from '@sinclair/typebox'
import { TIERS, type Tier } from '../schema/plans.ts'
import { LEVELS, type Level } from './platform/http/log.ts'
import { hostList } from './platform/net/address.ts'

const perTier = (description: string) =>
  Type.Partial(
    Type.Object(
      Object.fromEntries(TIERS.map((tier) => [tier, Type.Integer({ minimum: 0 })])) as Record<
        Tier,
        ReturnType<typeof Type.Integer>
      >
    ),
    { additionalProperties: false, description, default: {} }
  )

/** An address or a network in CIDR form. Never all there is: whoever trusts everybody believes what anybody claims. */
FormatRegistry.Set('network', (text) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return most > 0 && rest.length === 0 && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))
})

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
  DATA: Type.String({ minLength: 1, default: './data', description: 'Directory of the data file' }),
  DATABASE: Type.String({
    format: 'database',
    default: '',
    secret: true,
    description: 'PostgreSQL database that keeps the tables in place of the data file: postgres://user:password@host:port/name'
  }),
  REDIS: Type.String({
    format: 'redis',
    default: '',
    secret: true,
    description: 'Redis by way of which several servers serve one AGENTHALL_DATABASE: redis://user:password@host:port/0'
  }),
  LOG_LEVEL: Type.Unsafe<Level>({
    ...Type.Union(LEVELS.map((level) => Type.Literal(level))),
    default: 'info',
    description: 'How much is logged: fatal, error, warn, info, debug (a line a request), trace or silent'
  }),
  BASE_URL: Type.String({
    format: 'base-address',
    default: '',
    description:
      'Address under which clients reach the server, without a slash at its end; derived from host and port when empty'
  }),
  MEDIA_URL: Type.String({
    format: 'base-address',
    default: '',
    description: 'Address under which stored files are served; the base address and /media when empty'
  }),
  RATE_LIMITS: perTier('Requests a minute per tier as JSON, for example {"free":100,"enterprise":0}; 0: no limit'),
  TRAINING_LIMITS: perTier('Bytes of training text an agent may have, per tier, as JSON'),
  STORAGE_LIMITS: perTier(
    'Bytes of files and texts an account may keep over all its agents, per tier, as JSON; 20 times the training text by default'
  ),
  AGENT_LIMITS: perTier(
    'Agents an account may have, per tier, as JSON, for example {"free":3}; 0 or absent: no limit. Tiers with ADD_ON_AGENT may have more'
  ),
  ACCOUNTS_CHOOSE_TIER: Type.Boolean({
    default: false,
    description:
      'true: whoever holds MANAGE_BILLING in an account moves it to any tier by `PATCH /v1/account`. Tiers limit nobody then; only the command line moves accounts otherwise'
  }),
  AUTH_FAILURES: Type.Integer({
    minimum: 0,
    default: 20,
    description: 'Failed authentications a minute from one address before it is refused; 0: no limit'
  }),
  RESPONSE_MODEL: Type.String({
    minLength: 1, maxLength: 128, default: 'gpt-4o-mini', description: 'Language model of a new agent'
  }),
  DISPLAY_MODEL: Type.String({
    maxLength: 128, default: '', description: 'Name people see for it; derived from RESPONSE_MODEL when empty'
  }),
  OPENAI_KEY: Type.String({
    maxLength: 500,
    default: '',
    secret: true,
    description: 'Key of OpenAI: its models then answer. Without any model agents quote their sources'
  }),
  ANTHROPIC_KEY: Type.String({
    maxLength: 500, default: '', secret: true, description: 'Key of Anthropic, for models named claude…'
  }),
  MODEL_URL: Type.String({
    format: 'address',
    default: '',
    description:
      "Any server that speaks OpenAI's protocol, such as http://localhost:11434/v1 for Ollama; it may be in a private network"
  }),
  MODEL_KEY: Type.String({ maxLength: 500, default: '', secret: true, description: 'Its key; none when empty' }),
  MODELS: Type.String({
    default: '',
    description:
      'Path of a JSON file for more: [{ "match", "provider", "url", "key_file", "premium", "price", "context", "fallback" }]'
  }),
  MODEL_REDACT: Type.Boolean({
    default: false,
    description:
      'true: e-mail addresses, card and telephone numbers in what visitors write are masked before a model reads them'
  }),
  MODEL_FIRST_BYTE: Type.Integer({
    minimum: 0,
    maximum: 600,
    default: 0,
    description:
      'Seconds that a model may take until it begins to answer; 0: 15, and 120 at an address in a private network. Then the next model is asked, or the sources answer'
  }),
  MODEL_ANSWERS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 32,
    description: 'Answers that models write at the same time; who has waited 10 s for one is answered from the sources'
  }),
  MODEL_ANSWERS_PER_ACCOUNT: Type.Integer({
    minimum: 1, maximum: 10_000, default: 8, description: 'Of these for one account'
  }),
  ANSWER_SURE: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.65,
    description:
      'How sure a search must be of a passage, from 0 to 1 as its `confidence` says, for its sentences to be the answer where no model writes it'
  }),
  ANSWER_MAYBE: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.35,
    description: 'How sure for them to be offered as what may help; below it the agent says that it does not know'
  }),
  DAILY_TOKENS: perTier(
    'Tokens of language models an account may use a day (UTC), per tier, as JSON; 0: no limit. Beyond it agents quote their sources. {"free":250000,"pro":2500000,"enterprise":25000000} by default'
  ),
  DAILY_AGENT_TOKENS: perTier('The same for each agent; 0 or absent: no limit'),
  WIDGET_MESSAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 12,
    description:
      "Messages a minute from one visitor of a widget; 0: no limit. Visitors never use up the account's own rate limit"
  }),
  WIDGET_MESSAGES_PER_DAY: Type.Integer({ minimum: 0, default: 200, description: 'The same in 24 hours' }),
  WIDGET_SESSIONS_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 10,
    description:
      'New visitors of widgets a minute from one address (IPv6: one /64), which may be a whole office; 0: no limit'
  }),
  WIDGET_ANSWERS_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 60,
    description:
      'Answers of agents a minute for one address (IPv6: one /64), a third of them for visitors who ask at most three times in it; 0: no limit'
  }),
  SMTP_URL: Type.String({
    format: 'mail-out',
    default: '',
    secret: true,
    description:
      'Mail server that takes mail from us: smtp:// or smtps://user:password@host:port. Without it no mail is sent'
  }),
  MAIL_FROM: Type.String({
    format: 'mail-from',
    default: '',
    description: 'What mail comes from, such as Help <help@example.com>; answers come to help+…@example.com'
  }),
  MAIL_LIMITS: perTier(
    'Mails of tickets and follow-ups an account sends in 24 hours, per tier, as JSON; 0: no limit. What is more waits until there is room. {"free":50,"pro":1000,"enterprise":0} by default'
  ),
  IMAP_URL: Type.String({
    format: 'mail-in',
    default: '',
    secret: true,
    description:
      'Mailbox that answers come to: imap:// or imaps://user:password@host/FOLDER, looked into once a minute; or let a mail service post them (`agenthall mail` says where)'
  }),
  UPLOAD_MIB: Type.Integer({
    minimum: 1, maximum: 1024, default: 32, description: 'MiB an uploaded or fetched file may have'
  }),
  ALLOWED_HOSTS: Type.Array(Type.String({ format: 'host' }), {
    default: [],
    description:
      'Comma-separated hosts (host or host:port) that may be read although they are in a private network; none by default'
  }),
  FOLDERS: Type.Array(Type.String({ format: 'folder' }), {
    default: [],
    description:
      'Comma-separated folders of this machine that agents of any account may learn from and keep up with, with all that is in them (a feed of the kind `folder`); none by default'
  }),
  GOOGLE_SERVICE_ACCOUNT: Type.String({
    default: '',
    description: "Path of a Google service account's JSON file, with which Google Drive is read"
  }),
  OCR: Type.String({
    default: '',
    description:
      'Command that reads scanned pages: it gets a picture (PNG) on standard input and prints the text, such as `tesseract` or `tesseract - - -l deu+eng`; scans are not read when empty'
  }),
  EMBEDDINGS_URL: Type.String({
    format: 'address',
    default: '',
    description:
      'OpenAI-compatible service for search by meaning, such as https://api.openai.com/v1; search is by words alone when empty'
  }),
  EMBEDDINGS_MODEL: Type.String({ maxLength: 200, default: 'text-embedding-3-small', description: 'Its model' }),
  EMBEDDINGS_KEY: Type.String({ maxLength: 500, default: '', secret: true, description: 'Its key; none when empty' }),
  EMBEDDINGS_DIMENSIONS: Type.Integer({
    minimum: 1, maximum: 8192, default: 1536, description: 'Numbers in one of its embeddings'
  }),
  BODY_MEMORY_MIB: Type.Integer({
    minimum: 64,
    maximum: 65_536,
    default: 128,
    description:
      'MiB of memory for large request bodies that are being worked on, half of it at most for one account; more wait for a moment'
  }),
  BODY_DISK_MIB: Type.Integer({
    minimum: 64,
    maximum: 1_048_576,
    default: 1024,
    description: 'MiB of disk for large request bodies that are still coming in, half of it at most for one account'
  }),
  LIST_CACHE_MIB: Type.Integer({
    minimum: 0,
    maximum: 65_536,
    default: 32,
    description: 'MiB of memory for answers that are kept until what they show changes'
  }),
  BACKUP_EVERY: Type.String({
    pattern: '^([1-9]\\d{0,3}[mhd])?$',
    default: '',
    description: 'How often the server backs its data up, such as 30m, 24h or 7d; never when empty'
  }),
  BACKUP_KEEP: Type.Integer({
    minimum: 1, maximum: 10_000, default: 7, description: 'How many of these backups are kept'
  }),
  AUDIT_DAYS: Type.Integer({
    minimum: 1, maximum: 36_500, default: 365, description: 'Days that the audit log of an account is kept'
  }),
  BACKUP_DIR: Type.String({
    default: '',
    description: 'Folder they are put into; backups in the data directory when empty. Another disk is safer'
  }),
  TRUST_PROXY: Type.Array(Type.String({ format: 'network' }), {
    default: [],
    description:
      'Addresses or networks (10.0.0.0/8) of the proxies in front, comma separated: only from these is X-Forwarded-For believed'
  }),
  MAX_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2000,
    description:
      'Connections taken at the same time, and 64 more to say 503 to; keep it below the limit of open files'
  }),
  MAX_CONNECTIONS_PER_ADDRESS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    description: 'Of these from one address, which may be a proxy; 0: no limit'
  }),
  WEB_PUSH: Type.Boolean({
    default: true,
    description:
      'Whether people are called when their console is closed, through the push services of their browsers (docs/notifications.md); false: nothing is sent there'
  }),
  METRICS: Type.Unsafe<'loopback' | 'open'>({
    ...Type.Union([Type.Literal('loopback'), Type.Literal('open')]),
    default: 'loopback',
    description: 'Who may read /metrics: loopback (this machine, not through a proxy) or open (whoever reaches it)'
  })
})
