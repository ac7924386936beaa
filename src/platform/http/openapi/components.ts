import { isDeepStrictEqual } from 'node:util'
import { Timestamp } from '../../../../schema/common.ts'

/** How often a response occurs in the document before it becomes a shared component. */
const MANY = 5

/**
 * Moves every schema with a title to `components.schemas`, and every refusal that many routes share to
 * `components.responses`, and replaces them by references, so that generated clients get names.
 */
export function hoist (document: object): object {
  const schemas: Record<string, unknown> = {}
  const walk = (value: unknown, top: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, false))
    if (typeof value !== 'object' || value === null) return value
    const walked = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key, key === 'examples' || key === 'example' ? item : walk(item, false)
      ])
    )
    if (walked.pattern === Timestamp.pattern) walked.format = 'date-time'
    const { title } = value as { title?: unknown }
    if (top || typeof title !== 'string' || !('type' in value || 'anyOf' in value)) return walked
    const { description, ...schema } = walked
    schemas[title] ??= schema
    // The second of two schemas with one name would be documented as the first.
    const { properties, required } = schemas[title] as { properties?: unknown, required?: unknown }
    if (!isDeepStrictEqual([properties, required], [walked.properties, walked.required])) {
      throw new Error(`Two different schemas are titled ${title}.`)
    }
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }
  const { components = {}, ...rest } = document as { components?: object }
  const walked = walk(rest, true) as { paths: Paths }
  const responses = shared(walked.paths)
  return {
    ...walked,
    components: {
      ...components,
      responses,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
    }
  }
}

interface Example { example?: { error: { code: string } } }
type Paths = Record<string, Record<string, { responses?: Record<string, unknown> }>>

/** Moves refusals that many routes share out of the routes; returns them by name. */
function shared (paths: Paths): Record<string, unknown> {
  const found = new Map<string, Array<[of: Record<string, unknown>, status: string]>>()
  for (const { responses = {} } of Object.values(paths).flatMap((of) => Object.values(of))) {
    for (const [status, answer] of Object.entries(responses)) {
      if (status < '400') continue
      const text = JSON.stringify(answer)
      found.set(text, [...found.get(text) ?? [], [responses, status]])
    }
  }
  const named: Record<string, unknown> = {}
  const times = new Map<string, number>()
  for (const [text, places] of found) {
    if (places.length < MANY) continue
    const answer = JSON.parse(text) as { content: Record<string, Example & { examples?: Record<string, unknown> }> }
    const { example, examples = {} } = Object.values(answer.content)[0]!
    const code = example?.error.code ?? Object.keys(examples)[0]!
    const begins = code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
    const time = (times.get(begins) ?? 0) + 1
    times.set(begins, time)
    const name = time === 1 ? begins : `${begins}${time}`
    named[name] = answer
    for (const [of, status] of places) of[status] = { $ref: `#/components/responses/${name}` }
  }
  return named
}
