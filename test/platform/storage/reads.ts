import { readFileSync } from 'node:fs'

interface Parameter { in: string, name: string, schema: { enum?: string[] } }
type Names = Record<string, string | number>

/**
 * The address of everything that can be read, with each filter and with two at a time; things are named by these names.
 * Streams, and what is a visitor's, are left out.
 */
export function everyRead (names: Names): string[] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, { get?: { parameters?: Parameter[] } }>
  }
  const values: Names = {
    agent: names['id']!,
    visitor: names['visitor']!,
    conversation: names['conversation']!,
    days: 30,
    search: 'returns',
    since: '2026-01-01T00:00:00.000Z',
    about: 'x',
    cursor: '1000',
    from: '2026-01-01',
    to: '2026-01-02'
  }
  return Object.entries(paths).flatMap(([path, { get }]) => {
    // A stream has no end.
    if (!get || /events|stream|widget/.test(path)) return []
    const [, kind = ''] = /^\/v1\/(visitor|ticket|conversation)s\//.exec(path) ?? []
    const url = path
      .replace('{id}', String(names[kind || 'id']))
      .replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(names[name] ?? 1))
    return queries(get.parameters ?? [], values).map((query) => `${url}?${query}`)
  })
}

function queries (parameters: readonly Parameter[], values: Names): string[] {
  const filters = parameters
    .filter((one) => one.in === 'query' && !['limit', 'page'].includes(one.name))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(schema.enum?.[0] ?? values[name] ?? 1)}`)
  return ['', ...filters, ...filters.flatMap((one, i) => filters.slice(i + 1).map((two) => `${one}&${two}`))]
}
