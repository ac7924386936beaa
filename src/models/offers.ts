import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { closed } from '../../schema/common.ts'
import { errorCode, Refusal } from '../platform/errors.ts'
import type { Offer } from './choose.ts'
import type { Provider } from './contract.ts'
import { withoutEnd } from '../platform/text.ts'

/** The operator's model settings. */
export interface ModelSettings {
  openaiKey: string
  anthropicKey: string
  /** Any server that speaks OpenAI's protocol, and its key. */
  url: string
  urlKey: string
  /** Path of the list of models; none when empty. */
  file: string
}

export const OPENAI_URL = 'https://api.openai.com/v1'
export const ANTHROPIC_URL = 'https://api.anthropic.com/v1'
const KINDS = { openai: OPENAI_URL, anthropic: ANTHROPIC_URL, 'openai-compatible': null } as const
const SETTING = 'AGENTHALL_MODELS'

const price = Type.Number({ minimum: 0 })
const Entry = Type.Object({
  match: Type.String({ minLength: 1, maxLength: 128 }),
  provider: Type.Union([Type.Literal('openai'), Type.Literal('anthropic'), Type.Literal('openai-compatible')]),
  url: Type.Optional(Type.String({ pattern: '^https?://\\S+$' })),
  key_file: Type.Optional(Type.String({ minLength: 1 })),
  premium: Type.Optional(Type.Boolean()),
  price: Type.Optional(Type.Object({ input: price, output: price, cached: Type.Optional(price) }, closed)),
  context: Type.Optional(Type.Integer({ minimum: 1 })),
  fallback: Type.Optional(Type.String({ minLength: 1, maxLength: 128 }))
}, closed)
type Entry = Static<typeof Entry>

/**
 * The installation's models: the list first, then those that the keys and the address provide. Refuses a list that
 * cannot be read with VALIDATION_ERROR, naming the entry and the field.
 */
export function offersFrom (settings: ModelSettings): Offer[] {
  const { openaiKey, anthropicKey, url, urlKey, file } = settings
  const plain = (match: string, provider: Provider): Offer => ({
    match, provider, isPremium: false, price: null, context: null, fallback: null
  })
  const anthropic = anthropicKey
    ? [plain('claude*', provider('anthropic', 'anthropic', ANTHROPIC_URL, anthropicKey))]
    : []
  const compatible = url ? [plain('*', provider('url', 'openai', url, urlKey))] : []
  const openai = openaiKey ? provider('openai', 'openai', OPENAI_URL, openaiKey) : undefined
  // If another server is set too, OpenAI gets only the models known to be its own.
  const patterns = url ? ['gpt-*', 'chatgpt-*', 'o1*', 'o3*', 'o4*'] : ['*']
  return [
    ...(file ? listed(file) : []),
    ...anthropic,
    ...(openai ? patterns.map((match) => plain(match, openai)) : []),
    ...compatible
  ]
}

/** The settings that the models of an installation come from. */
const FROM: Record<string, string> = {
  openai: 'AGENTHALL_OPENAI_KEY', anthropic: 'AGENTHALL_ANTHROPIC_KEY', url: 'AGENTHALL_MODEL_URL'
}

/** A provider that the operator set up: for which names, and by which setting. */
export interface Installed { models: string[], from: string, provider: Provider }

/** The installation's providers, each once with all names that it is for. Refuses as `offersFrom` does. */
export function installedFrom (settings: ModelSettings): Installed[] {
  const found = new Map<string, Installed>()
  for (const { match, provider } of offersFrom(settings)) {
    // Entries of the list may share a host but not a key.
    const key = JSON.stringify([provider.id, provider.url, provider.key()])
    const known = found.get(key)
    if (known) known.models.push(match)
    else found.set(key, { models: [match], from: FROM[provider.id] ?? SETTING, provider })
  }
  return [...found.values()]
}

/** An address safe to show: without credentials or query. */
export function plainUrl (url: string): string {
  const { origin, pathname } = new URL(url)
  return withoutEnd(origin + pathname, '/')
}

/** Hosts that the operator named, which may be in a private network. */
export function hostsOf (offers: readonly Offer[]): string[] {
  return [
    ...new Set(
      offers
        .map(({ provider }) => new URL(provider.url))
        .map(({ host, protocol, port }) => (port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`))
    )
  ]
}

function listed (file: string): Offer[] {
  const entries = parsed(file)
  const isBroken = !Array.isArray(entries)
  if (isBroken) throw wrong(file, 'it is not a list: [{ "match": "…", "provider": "openai" }]')
  return entries.map((entry, i) => offerOf(file, entry, i + 1))
}

function parsed (file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw wrong(
      file,
      error instanceof SyntaxError ? 'it is not JSON' : `it cannot be read (${errorCode(error)})`
    )
  }
}

function offerOf (file: string, entry: unknown, number: number): Offer {
  const [error] = Value.Errors(Entry, entry)
  if (error) {
    throw wrong(
      file, `entry ${number}${error.path && `, ${error.path.slice(1).replaceAll('/', '.')}`}: ${error.message}`
    )
  }
  const {
    match, provider: kind, url = KINDS[kind], key_file: keyFile, premium = false, price, context = null,
    fallback = null
  } = entry as Entry
  if (url === null) throw wrong(file, `entry ${number}, url: an openai-compatible provider needs one`)
  const key = keyFile === undefined ? '' : keyIn(path.resolve(path.dirname(file), keyFile), file, number)
  return {
    match,
    provider: provider(`list-${new URL(url).host}`, kind === 'anthropic' ? 'anthropic' : 'openai', url, key),
    isPremium: premium,
    price: price ? { ...price, cached: price.cached ?? price.input } : null,
    context,
    fallback
  }
}

function keyIn (keyFile: string, file: string, number: number): string {
  try {
    return readFileSync(keyFile, 'utf8').trim()
  } catch (error) {
    throw wrong(file, `entry ${number}, key_file: ${keyFile} cannot be read (${errorCode(error)})`)
  }
}

function provider (id: string, kind: Provider['kind'], url: string, key: string): Provider {
  return { id, kind, url: withoutEnd(url, '/'), key: () => key || null, isOperators: true }
}

function wrong (file: string, fault: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `${SETTING} names ${file}, but ${fault}.`)
}
