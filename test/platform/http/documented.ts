import type { FastifyInstance } from 'fastify'

interface Answer { $ref?: string, content?: Record<string, { schema: object }> }
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>
  components: { responses: Record<string, Answer> }
}

const operations = new Map<string, Array<{ path: RegExp, of: Record<string, Answer> }>>()
let document: Document | undefined

/**
 * What the API document says of the code of an error response: nothing where it lists it, else a sentence. Paths that
 * are in no document need not be listed.
 */
export function undocumented (
  app: FastifyInstance, method: string, url: string, status: number, body: string
): string | undefined {
  document ??= app.swagger() as unknown as Document
  const path = url.split('?')[0]!.replace(/^\/api(?=\/v1)/, '').replace(/(?<=.)\/$/, '')
  const found = operationsOf(document, method).find((one) => one.path.test(path))
  if (!found) return undefined
  const { code } = (JSON.parse(body) as { error: { code: string } }).error
  const codes = codesOf(document, found.of[status])
  return codes.includes(code)
    ? undefined
    : `${method} ${url} answers ${status} ${code}; the document says of it: ${codes.join(', ') || 'nothing'}`
}

/** Why a 201 does not lead to the created resource, in words; undefined where it does. */
export function unplaced (
  app: FastifyInstance, method: string, url: string, location: unknown
): string | undefined {
  if (typeof location !== 'string') return `${method} ${url} answers 201 without a Location`
  // Like the router, with and without a trailing slash.
  const path = new URL(location, 'http://here').pathname.replace(/(?<=.)\/$/, '')
  const isThere = [...app.routeMethods].some(([pattern, methods]) =>
    methods.has('GET') && new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+').replace('*', '.+')}$`).test(path)
  )
  return isThere ? undefined : `${method} ${url} leads to ${location}, where nothing can be read`
}

/** The operations with this method, those without parameters first. */
function operationsOf ({ paths }: Document, method: string) {
  const known = operations.get(method) ?? Object.entries(paths)
    .flatMap(([template, of]) => {
      const operation = of[method.toLowerCase()]
      return operation ? [{ template, responses: operation.responses }] : []
    })
    .toSorted((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')))
    .map(({ template, responses }) => ({
      path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`), of: responses
    }))
  operations.set(method, known)
  return known
}

/** The codes that a response of the document may have. */
export function codesOf ({ components }: Pick<Document, 'components'>, answer: Answer | undefined): string[] {
  if (!answer) return []
  const { content = {} } = answer.$ref ? components.responses[answer.$ref.split('/').at(-1)!]! : answer
  const [{ schema } = { schema: {} }] = Object.values(content)
  const { properties } = schema as { properties?: { error: { properties: { code: { enum: string[] } } } } }
  return properties?.error.properties.code.enum ?? []
}
