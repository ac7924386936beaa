import type { TSchema } from '@sinclair/typebox'

/** A field of a body: where it is, and what its schema says. */
export interface Leaf { path: string[], schema: TSchema }

/**
 * Every field of a shape that is not itself a shape, with the path to it. What only the server sets (any type) is left
 * out.
 */
export function leavesOf (shape: TSchema, path: string[] = []): Leaf[] {
  return Object.entries<TSchema>(shape.properties).flatMap(([name, schema]) =>
    schema.properties ? leavesOf(schema, [...path, name]) : schema.type ? [{ path: [...path, name], schema }] : [])
}

/** `{ a: { b: value } }` of `['a', 'b']`. */
export function nest (path: string[], value: unknown): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>
}

export function allowsNull (schema: TSchema): boolean {
  return [schema.type].flat().includes('null')
}

/** A text of exactly this many characters that fits the schema's pattern. */
function textOf ({ pattern = '' }: TSchema, length: number): string {
  if (pattern.startsWith('^#')) return '#' + '0a'.repeat(3)
  if (pattern.includes('@')) return 'a@' + 'b'.repeat(length - 4) + '.c'
  if (pattern.startsWith('^https?')) return 'https://' + 'x'.repeat(length - 8)
  if (pattern.startsWith('^\\d{4}')) return '2099-01-01T00:00:00Z'
  return 'x'.repeat(length)
}

const DEFAULT_LENGTH = 8192

/** Shapes by name (`de`): one with everything, invalid names, a shape with an unknown field, and too many. */
function edgesByName (schema: TSchema): Array<{ value: unknown, valid: boolean }> {
  const [[, inner]] = Object.entries<TSchema>(schema.patternProperties) as [[string, TSchema]]
  const whole = Object.fromEntries(Object.entries<TSchema>(inner.properties).map(([name, one]) =>
    [name, one.type === 'array' ? ['x'] : 'x']))
  const names = Array.from({ length: schema.maxProperties + 1 }, (_none, i) => `a${String.fromCharCode(97 + i % 26)}${i < 26 ? '' : 'z'}`)
  return [
    { value: { de: whole }, valid: true },
    { value: Object.fromEntries(names.map((name) => [name, whole])), valid: false }
  ]
}

/** Values on either side of every bound a schema states, each with whether it is inside. */
export function edgesOf (schema: TSchema): Array<{ value: unknown, valid: boolean }> {
  const type = [schema.type].flat()[0]
  const inside = (value: unknown) => ({ value, valid: true })
  const outside = (value: unknown) => ({ value, valid: false })
  const strangers = (
    {
      string: [1, true, {}, []],
      integer: ['1', true, {}, [], 1.5],
      number: ['1', true, {}, []],
      boolean: [0, 1, 'true', {}, []],
      array: ['x', {}, 1, true],
      object: ['x', [], 1, true]
    } as Record<string, unknown[]>
  )[type]!.map(outside)
  const edges = [...strangers, { value: null, valid: allowsNull(schema) }]
  if (type === 'boolean') return [...edges, inside(true), inside(false)]
  if (type === 'integer' || type === 'number') {
    const { minimum, maximum } = schema
    return [...edges, inside(minimum), inside(maximum), outside(minimum - 1), outside(maximum + 1), outside(1e300)]
  }
  if (type === 'object') return [...edges, ...edgesByName(schema)]
  if (type === 'array') {
    const items = schema.items as TSchema
    const several = (count: number) =>
      Array.from({ length: count }, (_none, i) => (items.enum ? items.enum[i % items.enum.length] : items.type === 'integer' ? i + 1 : `item ${i}`))
    return [
      ...edges,
      inside(several(schema.maxItems)),
      outside(several(schema.maxItems + 1)),
      { value: [], valid: !schema.minItems },
      ...edgesOf(items)
        .filter(({ valid }) => !valid)
        .map(({ value }) => outside([value])),
      ...(schema.uniqueItems ? [outside([...several(1), ...several(1)])] : [])
    ]
  }
  if (schema.enum) return [...edges, ...schema.enum.map(inside), outside('neither'), outside('')]
  const { minLength = 0, maxLength = DEFAULT_LENGTH, pattern = '' } = schema
  const accepts = (text: string) =>
    text.length >= minLength && text.length <= maxLength && new RegExp(pattern, 'u').test(text)
  const texts = [
    '',
    ' ',
    '\n',
    '#12345',
    '#1234567',
    '#12345g',
    'a@b',
    'a b@c.d',
    'ftp://x',
    'javascript:alert(1)',
    'x',
    textOf(schema, maxLength),
    textOf(schema, maxLength) + 'x'
  ]
  return [...edges, ...texts.map((text) => ({ value: text, valid: accepts(text) }))]
}
