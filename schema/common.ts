import {
  Type, type ObjectOptions, type SchemaOptions, type Static, type StringOptions, type TObject, type TProperties,
  type TSchema
} from '@sinclair/typebox'

/** True only when both types are identical, property by property; keeps a record and its table in step. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : never

/** The same type with its properties written out, so that `Same` compares shapes, not how they were composed. */
export type Plain<T> = { [K in keyof T]: T[K] }

/** A stored value, completed with defaults for missing fields, nested objects included. */
export function complete<T extends object> (defaults: T, written: Partial<T>): T {
  const all = { ...defaults, ...written }
  for (const [name, value] of Object.entries(defaults) as Array<[keyof T, T[keyof T]]>) {
    const own = written[name]
    if (isPlain(value) && isPlain(own)) all[name] = complete(value, own) as T[keyof T]
  }
  return all
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An identifier assigned by the service. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export type Id = Static<typeof Id>

/** An identifier in a path: digits only, so that nothing else reaches a query. */
export const PathId = Type.Integer({
  minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Identifier assigned by the service'
})

/** ISO 8601 in UTC with microseconds: `2026-11-20T15:04:05.123456Z`. */
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
  examples: ['2026-11-20T15:04:05.123456Z']
})
export type Timestamp = Static<typeof Timestamp>

/**
 * The schema or null. Written as a list of types: validators then report one error and the serialiser needs no guess.
 */
export function nullable<T extends TSchema> (schema: T, options: SchemaOptions = {}) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string, enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({ ...rest, ...options, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}

/** A patch of an object: omitted fields are unchanged, null removes a field. */
export function changeOf<T extends TProperties> (whole: TObject<T>, options: ObjectOptions) {
  const fields = Object.fromEntries(
    Object.entries(whole.properties).map(([name, field]) => [name, Type.Optional(nullable(field))])
  )
  return Type.Unsafe<{ [Field in keyof Static<TObject<T>>]?: Static<TObject<T>>[Field] | null }>(
    Type.Object(fields, { ...closed, ...options })
  )
}

/** One of the given strings. */
export function oneOf<const T extends readonly string[]> (values: T, options: StringOptions = {}) {
  return Type.Unsafe<T[number]>({ ...options, type: 'string', enum: [...values] })
}

/** A name from the IANA database; `isTimeZone` checks whether the zone exists. */
export const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['Europe/Berlin'],
  description: 'IANA time zone name'
})

/** A text of at most `maxLength` characters; it may be empty. */
export const text = (maxLength: number, options: StringOptions = {}) => Type.String({ maxLength, ...options })

/** A text of 1 to `maxLength` characters that is not blank. */
export const title = (maxLength: number, options: StringOptions = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', ...options })

/** Neither part of an address has these: they separate mailboxes, names and comments, as mail programs read them. */
const NOT_IN_ADDRESS = '\\s\\u0000-\\u001f@<>()\\[\\]\\\\,;:"'

/** The form of an e-mail address: one mailbox, and only one way to write it. */
export const EMAIL =
  `^[^${NOT_IN_ADDRESS}]+@[^${NOT_IN_ADDRESS}.]+(?:\\.[^${NOT_IN_ADDRESS}.]+)+$`

/** Checks an e-mail address by its form; deterministic, so that a long text takes one pass. */
export const email = (options: StringOptions = {}) => Type.String({ maxLength: 254, pattern: EMAIL, ...options })

/** Maximum tags of a conversation, and characters of a tag. */
export const [MOST_TAGS, LONGEST_TAG] = [20, 50]

/** A tag of a conversation: something is left of it when `tagsAs` has normalised it. */
export const TagName = title(LONGEST_TAG, {
  pattern: '[^\\s,\\p{Cc}\\p{DI}\\u2800]',
  description:
    'A tag chosen by the team; stored in lower case, on one line, without characters that show nothing. ' +
    'A comma separates two tags',
  examples: ['complaint']
})

/** Makes a schema reject unknown properties. */
export const closed = { additionalProperties: false } as const
