import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, Refusal, shortened } from '../../errors.ts'
import { MOST_TEXT, shorten } from './large-json.ts'
import { inUnits } from './receive.ts'
import { _, type Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt, type KeywordErrorDefinition } from 'ajv'
import { isBlank, isLongerThan, isShorterThan } from '../../text.ts'
import { nextTurn } from '../../work/turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Digest of a large body's bytes, for callers that would otherwise have to serialise it again; undefined if it was
     * small, or no Idempotency-Key was sent.
     */
    bodyDigest: string | undefined
  }
}

const MAX_DEPTH = 32
/** Characters of a property's name; all of ours are far shorter. */
const LONGEST_NAME = 256
/**
 * More values than any body of ours can hold; checked before parsing, so that a key bomb costs one pass over its bytes.
 */
const MAX_VALUES = 10_000

/** Lists and objects, and characters of blanks and numbers: far more than beside that many values. */
const [MAX_CONTAINERS, MAX_PLAIN] = [2 * MAX_VALUES, 2 ** 21]

/** A body up to this size is read at once, a larger one in slices. */
const SMALL = 262_144
const HASHED_AT_ONCE = 1024 * 1024
const SEARCHED_AT_ONCE = 4 * 1024 * 1024

/**
 * Accepts JSON bodies and nothing else: UTF-8, at most 32 levels deep, no `__proto__`, no NUL and no lone surrogate.
 * Needs `bodies`.
 */
export function acceptJson (app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', { fatal: true })

  function read (request: FastifyRequest, text: string): unknown {
    let parsed: { error?: Error | null, value?: unknown } = {}
    // It calls back synchronously, and again with another error when the callback throws; so nothing is decided
    // in there.
    parse(request, text, (error, value) => { parsed = { error, value } })
    if (parsed.error) throw malformed('it could not be parsed')
    // From here on, null means no body at all, which an update accepts.
    if (parsed.value === null) throw invalid({ field: 'body', message: 'body must be an object.' })
    return parsed.value
  }

  function readSmall (request: FastifyRequest, text: string): unknown {
    checkSize(text)
    return read(request, text)
  }

  async function readLarge (request: FastifyRequest, bytes: Buffer): Promise<unknown> {
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = await digestOf(bytes)
    const { json, complete } = await shorten(bytes, MAX_VALUES, {
      longName: nameTooLong,
      longText: () => textTooLong(request),
      muchBeside: tooMuchBeside,
      manyValues: tooManyValues
    })
    await nextTurn()
    checkSize(json)
    await nextTurn()
    const value = read(request, json)
    await nextTurn()
    return complete(value)
  }

  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyDigest', undefined)
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await request.receive(payload)
    if (bytes.length === 0 && request.method === 'DELETE') return undefined
    if (bytes.length === 0) throw malformed('the body is empty')
    try {
      const value = bytes.length > SMALL ? await readLarge(request, bytes) : readSmall(request, decoder.decode(bytes))
      // Only an escape can bring either of them into a JSON text that was valid UTF-8.
      if (await hasEscapes(bytes)) checkTexts(value, [])
      return value
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw malformed(error instanceof SyntaxError ? 'it could not be parsed' : 'it is not UTF-8')
    }
  })
}

/** Whether it contains `\u` escapes; searched in pieces. */
async function hasEscapes (bytes: Buffer): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += SEARCHED_AT_ONCE) {
    if (at > 0) await nextTurn()
    // One more byte, in case it spans two pieces.
    if (bytes.subarray(at, at + SEARCHED_AT_ONCE + 1).includes('\\u')) return true
  }
  return false
}

async function digestOf (bytes: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE))
    await nextTurn()
  }
  return hash.digest('hex')
}

function textTooLong ({ routeOptions: { config } }: FastifyRequest) {
  return new Refusal(
    'payload_too_large',
    `A text in the body takes more than ${inUnits(MOST_TEXT)} of memory. ${config.insteadOfLarge ?? 'Send less at once.'}`,
    { fields: { limit: MOST_TEXT } }
  )
}

const tooMuchBeside = () => malformed('too much of it is outside texts')
const tooManyValues = () => malformed(`it holds more than ${MAX_VALUES} values`)

function nameTooLong () {
  return malformed(`a name in it is longer than ${LONGEST_NAME} characters`)
}

function malformed (why: string) {
  return new Refusal('malformed_json', `The body is not acceptable JSON: ${why}.`)
}

/** Checks depth, number of values, length of names and what is beside them of a JSON text without parsing it. */
function checkSize (text: string) {
  const endOf = textEnds(text)
  let depth = 0
  let values = 0
  let containers = 0
  let plain = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) {
      const { end, characters } = endOf(i + 1)
      if (characters > LONGEST_NAME && isName(text, end + 1)) throw nameTooLong()
      i = end
    } else if (code === 123 || code === 91) {
      if (++depth > MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`)
      if (++containers > MAX_CONTAINERS) throw tooManyValues()
    } else if (code === 125 || code === 93) depth--
    else if (code === 44) {
      if (++values > MAX_VALUES) throw tooManyValues()
    } else if (++plain > MAX_PLAIN) throw tooMuchBeside()
  }
}

/**
 * Given where texts in a JSON text start, one after the other, finds where they end and how many characters they have.
 * Each part is searched once: what was found beyond the end of one is kept for the next.
 */
function textEnds (text: string) {
  const end = text.length
  let quote = -1
  let backslash = -1
  const search = (mark: string, from: number) => {
    const found = text.indexOf(mark, from)
    return found === -1 ? end : found
  }
  const hasEscape = (from: number) => {
    if (quote < from) quote = search('"', from)
    if (backslash < from) backslash = search('\\', from)
    return backslash < quote
  }
  return (start: number) => {
    let escapes = 0
    // A backslash hides the next character; an escape counts as one character, however long it is.
    for (let from = start; hasEscape(from); from = backslash + 2) {
      escapes += text.charCodeAt(backslash + 1) === 117 ? 5 : 1
    }
    return { end: quote, characters: quote - start - escapes }
  }
}

/** Whether a colon follows. */
function isName (text: string, at: number): boolean {
  while (text.charCodeAt(at) <= 0x20) at++
  return text[at] === ':'
}

function checkTexts (value: unknown, path: Array<string | number>) {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw invalid({
        field: fieldName(path),
        message: `${fieldName(path)} holds a character that is not text (NUL or half of a surrogate pair).`
      })
    }
  } else if (Array.isArray(value)) value.forEach((item, i) => checkTexts(item, [...path, i]))
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      checkTexts(key, path)
      checkTexts(item, [...path, key])
    }
  }
}

/** A path as errors spell it: `behavior.suggestions[2]`; the whole body is `body`. */
export function fieldName (path: Array<string | number>): string {
  const name = path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name ? `${name}.${step}` : step
  }, '')
  return shortened(name) || 'body'
}

/** The pattern of a text that must not be blank. */
const NOT_BLANK = '\\S'

/** A text that is far too long is refused for that; its pattern is not checked. */
function isLike (text: string, like: RegExp, most: number): boolean {
  if (text.length > 2 * most) return true
  return like.source === NOT_BLANK ? !isBlank(text) : like.test(text)
}

/** The original length of a list of which only the first items are checked. */
const cutFrom = new WeakMap<object, number>()
const isMore = (items: readonly unknown[], most: number) => (cutFrom.get(items) ?? items.length) > most

/**
 * The same value with at most this many items in each list: to report what is wrong with some items out of thousands,
 * not with all. `maxItems` still counts all of them.
 */
export function withFewItems (value: unknown, most: number): unknown {
  if (Array.isArray(value)) {
    const few = value.slice(0, most).map((item) => withFewItems(item, most))
    if (value.length > most) cutFrom.set(few, value.length)
    return few
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withFewItems(inner, most)]))
}

/** Too many items are refused for that. None of ours are objects, except in what is refused anyway. */
function areUnique (items: readonly unknown[], most: number): boolean {
  if (items.length > most) return true
  const known = new Set(items.map((item) => typeof item === 'object' ? JSON.stringify(item) : item))
  return known.size === items.length
}

/**
 * Makes rules of texts and lists take time by what they allow, not by what was sent: the library counts the characters
 * of a text of 2 MB one by one, matches each against its pattern, and compares ten thousand items with one another.
 */
export function inBoundedTime (ajv: Ajv): Ajv {
  const has = ({ gen }: KeywordCxt, name: string, ref: unknown) => gen.scopeValue('func', { key: name, ref })
  const limit: Pick<KeywordErrorDefinition, 'params'> = { params: ({ schemaCode }) => _`{limit: ${schemaCode}}` }
  /** The limit, if there is one; else none is too many. */
  const most = (given: unknown) => typeof given === 'number' ? given : Number.MAX_SAFE_INTEGER
  const replace = (
    keyword: string, of: Pick<CodeKeywordDefinition, 'type' | 'schemaType' | 'before'>, isBroken: (cxt: KeywordCxt) => Code,
    error: Partial<KeywordErrorDefinition> = {}
  ) => ajv.removeKeyword(keyword).addKeyword({
    keyword, ...of, error: { message: keyword, ...error }, code: (cxt) => cxt.fail(isBroken(cxt))
  })
  for (const [keyword, isBroken] of [['maxLength', isLongerThan], ['minLength', isShorterThan]] as const) {
    replace(
      keyword, { type: 'string', schemaType: 'number' },
      (cxt) => _`${has(cxt, keyword, isBroken)}(${cxt.data}, ${cxt.schema})`, limit
    )
  }
  replace(
    'maxItems', { type: 'array', schemaType: 'number', before: 'minItems' },
    (cxt) => _`${has(cxt, 'maxItems', isMore)}(${cxt.data}, ${cxt.schema})`, limit
  )
  replace('pattern', { type: 'string', schemaType: 'string' }, (cxt) => {
    const like = cxt.gen.scopeValue('pattern', { key: cxt.schema, ref: new RegExp(cxt.schema, 'u') })
    return _`!${has(cxt, 'isLike', isLike)}(${cxt.data}, ${like}, ${most(cxt.parentSchema['maxLength'])})`
  })
  replace('uniqueItems', { type: 'array', schemaType: 'boolean' }, (cxt) => cxt.schema
    ? _`!${has(cxt, 'areUnique', areUnique)}(${cxt.data}, ${most(cxt.parentSchema['maxItems'])})`
    : _`false`)
  return ajv
}
