/** The parts of a field's schema that forms use. */
export interface FieldSchema {
  type?: string
  description?: string
  enum?: string[]
  const?: string
  anyOf?: FieldSchema[]
  items?: FieldSchema
  properties?: Record<string, FieldSchema>
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  examples?: unknown[]
}

/** The part of a schema at a path such as `behavior.guidelines.dos`; for nullable schemas, the non-null alternative. */
export function schemaAt (schema: { properties: Record<string, FieldSchema> }, path: string): FieldSchema {
  let found: FieldSchema = schema
  for (const name of path.split('.')) {
    const next = solid(found).properties?.[name]
    if (!next) throw new Error(`The schema has no field ${path}`)
    found = next
  }
  return solid(found)
}

function solid (schema: FieldSchema): FieldSchema {
  const other = schema.anyOf?.find(({ type }) => type !== 'null' && type !== undefined)
  return other && !schema.anyOf!.some((one) => one.const !== undefined) ? { ...schema, ...other } : schema
}

/** The value at a path. */
export function valueAt (from: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], from)
}

/** A copy with another value at a path; the input is not changed. */
export function withValue<T> (whole: T, path: string, value: unknown): T {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  const here = whole as Record<string, unknown>
  return { ...here, [name]: rest.length === 0 ? value : withValue(here[name] ?? {}, rest.join('.'), value) } as T
}

/**
 * What has to be sent so that `before` becomes `now`: objects part by part, null for a removed part, everything else
 * whole.
 */
export function changes (before: Record<string, unknown>, now: Record<string, unknown>): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(now)) {
    const old = before[name]
    if (isObject(value) && isObject(old)) {
      const inner = changes(old, value)
      if (Object.keys(inner).length > 0) changed[name] = inner
    } else if (JSON.stringify(value) !== JSON.stringify(old)) changed[name] = value
  }
  for (const name of Object.keys(before)) if (!(name in now)) changed[name] = null
  return changed
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
