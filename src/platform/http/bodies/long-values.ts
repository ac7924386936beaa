import { _, type Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt, type KeywordErrorDefinition } from 'ajv'
import { isBlank, isLongerThan, isShorterThan } from '../../text.ts'

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
