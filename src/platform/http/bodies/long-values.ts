import { _, type Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt, type KeywordErrorDefinition } from 'ajv'
import { isBlank, isLongerThan, isShorterThan } from '../../text.ts'

/** What is asked of a text that is to say something. */
const NOT_BLANK = '\\S'

/** A text that is too long by far is refused for that; what it looks like is not asked. */
function isLike (text: string, like: RegExp, most: number): boolean {
  if (text.length > 2 * most) return true
  return like.source === NOT_BLANK ? !isBlank(text) : like.test(text)
}

/** How many items there were in a list of which only the first are looked at. */
const cutFrom = new WeakMap<object, number>()
const isMore = (items: readonly unknown[], most: number) => (cutFrom.get(items) ?? items.length) > most

/**
 * The same value with no more than so many items in each list: to tell what is wrong with some of a list of thousands,
 * not of all. `maxItems` still counts all of them.
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

/** More items than there may be are refused for that. None of ours are objects, but in what is refused anyway. */
function areUnique (items: readonly unknown[], most: number): boolean {
  if (items.length > most) return true
  const known = new Set(items.map((item) => typeof item === 'object' ? JSON.stringify(item) : item))
  return known.size === items.length
}

/**
 * Has rules of texts and lists take as long as what they allow, not as what was sent: the library counts the characters
 * of a text of 2 MB one by one, looks at each for its form, and compares ten thousand items with one another.
 */
export function inBoundedTime (ajv: Ajv): Ajv {
  const has = ({ gen }: KeywordCxt, name: string, ref: unknown) => gen.scopeValue('func', { key: name, ref })
  const limit: Pick<KeywordErrorDefinition, 'params'> = { params: ({ schemaCode }) => _`{limit: ${schemaCode}}` }
  /** How many there may be, where that is said; else none is too many. */
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
