import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { TIERS, type Tier } from '../schema/plans.ts'
import { Refusal } from './platform/errors.ts'
import { nearest } from './platform/http/validation.ts'
import { Settings, type Config } from './kernel/index.ts'
import { fromKeys } from '../schema/typed.ts'

export type { Config }

const RATE_LIMITS: Record<Tier, number> = { free: 100, pro: 1000, enterprise: 10_000 }
const TRAINING_LIMITS: Record<Tier, number> = { free: 31_457_280, pro: 31_457_280, enterprise: 31_457_280 }
/** How many times an agent's training text an account may store, unless a setting says otherwise. */
const STORED_TIMES = 20
/** About 80, 800 and 8,000 answers a day, with the passages that they are based on. */
const DAILY_TOKENS: Record<Tier, number> = { free: 250_000, pro: 2_500_000, enterprise: 25_000_000 }
const MAIL_LIMITS: Record<Tier, number> = { free: 50, pro: 1000, enterprise: 0 }
const PREFIX = 'AGENTHALL_'
/** Characters of a wrong value that are quoted. */
const LONGEST_SHOWN = 60

/**
 * Reads every setting once: command-line flags over the environment over the defaults. Throws one VALIDATION_ERROR with
 * all complaints: each names the setting, its value unless that is a secret, and what is allowed.
 */
export function readConfig (
  env: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}
): Config {
  const known = Object.keys(Settings.properties)
  const given = new Map<string, string>()
  for (const [name, text] of Object.entries(env)) {
    if (name.startsWith(PREFIX) && text !== undefined && text !== '') given.set(name.slice(PREFIX.length), text)
  }
  const said = new Map([...given.keys()].map((name) => [name, PREFIX + name]))
  for (const [name, text] of Object.entries(flags)) {
    if (text === undefined) continue
    given.set(name, text)
    said.set(name, `--${name.toLowerCase()}`)
  }

  const complaints: string[] = []
  const config: Record<string, unknown> = Value.Default(Settings, {}) as Record<string, unknown>
  for (const [name, text] of given) {
    const schema: TSchema | undefined = Settings.properties[name as keyof typeof Settings.properties]
    if (!schema) {
      complaints.push(
        `${PREFIX}${name} is not a setting${nearest(name, known).replace('; did you mean "', `; did you mean "${PREFIX}`)}`
      )
    } else config[name] = read(schema, text)
  }
  for (const name of new Set([...Value.Errors(Settings, config)].map(({ path }) => path.split('/')[1]!))) {
    complaints.push(
      complaint(said.get(name)!, given.get(name)!, Settings.properties[name as keyof typeof Settings.properties])
    )
  }
  if (config.REDIS !== '' && config.DATABASE === '') {
    complaints.push(`${PREFIX}REDIS is for several servers of one database; they need ${PREFIX}DATABASE too`)
  }
  if (config.DATABASE !== '' && config.BACKUP_EVERY !== '') {
    complaints.push(`${PREFIX}BACKUP_EVERY is for a data file; with ${PREFIX}DATABASE the tools of PostgreSQL make backups`)
  }
  if (config.CITY_HEADER !== '' && !given.has('TRUST_PROXY')) {
    complaints.push(`${PREFIX}CITY_HEADER is trusted only from proxies: name them in ${PREFIX}TRUST_PROXY`)
  }
  if (complaints.length) throw new Refusal('VALIDATION_ERROR', `Wrong settings:\n  ${complaints.join('\n  ')}`)
  const training: Record<Tier, number> = { ...TRAINING_LIMITS, ...(config.TRAINING_LIMITS as object) }
  const storage = fromKeys(TIERS, (tier) => STORED_TIMES * training[tier])
  return {
    ...(config as Static<typeof Settings>),
    RATE_LIMITS: { ...RATE_LIMITS, ...(config.RATE_LIMITS as object) },
    TRAINING_LIMITS: training,
    STORAGE_LIMITS: { ...storage, ...(config.STORAGE_LIMITS as object) },
    DAILY_TOKENS: { ...DAILY_TOKENS, ...(config.DAILY_TOKENS as object) },
    MAIL_LIMITS: { ...MAIL_LIMITS, ...(config.MAIL_LIMITS as object) }
  }
}

/**
 * What is wrong with a setting: `AGENTHALL_PORT is "abc"; it must be a whole number from 0 to 65535 (Port to listen on
 * …).`
 */
function complaint (name: string, text: string, schema: TSchema): string {
  const shown = schema.secret ? 'not usable' : `"${clean(text)}"`
  return `${name} is ${shown}; it must be ${ruleOf(schema)}. (${schema.description})`
}

/** In one line and of limited length; a password in an address is left out. */
function clean (text: string): string {
  const line = text.replace(/\/\/[^/@\s]*@/g, '//…@').replace(/\p{C}/gu, '\uFFFD')
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN).toWellFormed()}…` : line
}

const FORMATS: Record<string, string> = {
  header: 'the name of a header such as cf-ipcity, or empty',
  network: 'an IP address or a network such as 10.0.0.0/8',
  'mail-out': 'an address that begins with smtp:// or smtps://, or empty',
  database: 'an address such as postgres://user:password@host:5432/name, or empty',
  redis: 'an address such as redis://host:6379/0, or empty',
  'mail-in': 'an address such as imaps://user:password@host, or empty',
  'mail-from':
    'an address such as help@example.com or Help <help@example.com>, at most 30 characters before the @ and without +, or empty',
  folder: 'a path that begins with /',
  host: 'a host or host:port, without http:// and without a path',
  address: 'an address that begins with http:// or https://, or empty',
  'base-address': 'an address that begins with http:// or https:// and ends without a slash, or empty'
}

function ruleOf (schema: TSchema): string {
  const { type, minimum, maximum, maxLength, items, format, pattern, anyOf } = schema
  if (anyOf) return `one of ${anyOf.map((choice: { const: string }) => choice.const).join(', ')}`
  if (type === 'integer') {
    return maximum === undefined ? `a whole number, ${minimum} or more` : `a whole number from ${minimum} to ${maximum}`
  }
  if (type === 'number') return `a number from ${minimum} to ${maximum}, with a point before its decimals`
  if (type === 'array') return `a list with commas between; each entry ${FORMATS[items.format]}`
  if (type === 'object') {
    return `JSON with a whole number, 0 or more, for any of ${TIERS.join(', ')}, such as {"${TIERS[0]}":100}`
  }
  if (format) return FORMATS[format]!
  if (pattern) return 'a number from 1 to 9999 followed by m, h or d'
  if (maxLength === undefined) return 'a text that is not empty'
  return schema.minLength ? `a text of 1 to ${maxLength} characters` : `at most ${maxLength} characters`
}

/** A text as the type its schema requires; what cannot be parsed stays a text and is reported. */
function read (schema: TSchema, text: string): unknown {
  if (schema.type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (schema.type === 'number') return /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (schema.type === 'array') return text.split(',').map((part) => part.trim()).filter(Boolean)
  if (schema.type === 'object') {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return text
}

/** The settings as a Markdown table, for docs/settings.md. */
export function settingsTable (): string {
  const rows = Object.entries<TSchema>(Settings.properties).map(
    ([name, { description, default: fallback }]) =>
      `| \`${PREFIX}${name}\` | ${fallback === '' || typeof fallback === 'object' ? '' : `\`${fallback}\``} | ${description} |`
  )
  return ['| Setting | Default | What it is |', '|---|---|---|', ...rows].join('\n')
}

/** Where clients reach the server as far as the settings say; this machine if it listens on all addresses. */
export function usualAddress ({ BASE_URL, HOST, PORT }: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT'>): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST
  return BASE_URL || `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}

/** Host and port as this machine reaches what listens on them. */
export function here (listensOn: string, port: number): string {
  const host = ['0.0.0.0', 'localhost'].includes(listensOn) ? '127.0.0.1' : listensOn.replace(/^::$/, '::1')
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
