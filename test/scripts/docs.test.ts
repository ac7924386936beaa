import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { everyCommand } from '../../src/cli/index.ts'
import { Settings } from '../../src/kernel/settings.ts'

/** The project's documents, by path. */
const PAGES = new Map(
  [...globSync('*.md'), ...globSync('docs/**/*.md')].map((file) => [file, readFileSync(file, 'utf8')] as const)
)
/** Documents about the present; a changelog and figures may name what no longer exists. */
const OF_TODAY = [...PAGES].filter(([file]) => !/CHANGELOG|BENCHMARK|decisions/.test(file))

/** The fragment of an address that leads to a heading, as repository hosts generate it. */
const anchor = (heading: string) =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(' ', '-')

const anchorsOf = (page: string) => Array.from(page.matchAll(/^#+ (.*)$/gm), ([, heading]) => anchor(heading!))

/** All matches, each once, with the page that contains it. */
function named (pattern: RegExp): Array<[file: string, name: string]> {
  return OF_TODAY.flatMap(([file, text]) => {
    const names = new Set(Array.from(text.matchAll(pattern), ([whole, name]) => name ?? whole))
    return [...names].map((name): [string, string] => [file, name])
  })
}

t.test('every link in what people read leads somewhere', async (t) => {
  let links = 0
  for (const [file, page] of PAGES) {
    for (const [, to] of page.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [target, part] = to!.split('#') as [string, string?]
      const at = target ? path.join(path.dirname(file), target) : file
      t.ok(existsSync(at), `${file}: ${to}`)
      if (part && existsSync(at)) t.ok(anchorsOf(readFileSync(at, 'utf8')).includes(part), `${file}: ${to}`)
      links++
    }
  }
  t.ok(links > 80, `${links} links`)
})

t.test('every setting that is named in what people read is one', async (t) => {
  const names = named(/AGENTHALL_([A-Z][A-Z_]*[A-Z])\b/g)
  t.ok(names.length > 60)
  for (const [file, name] of names) t.ok(name in Settings.properties, `${file}: AGENTHALL_${name}`)
})

t.test('every route that is named in what people read is served', async (t) => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> }
  const shape = (route: string) => route.replaceAll(/\{\w+\}|:\w+|agw_…|(?<=\/)\d+/g, '*').replace(/\/$/, '')
  const served = Object.entries(paths).map(([route, verbs]) => [shape(route), Object.keys(verbs)] as const)
  const names = named(/`((?:(?:GET|POST|PUT|PATCH|DELETE) )?(?:\/api)?(?:\/v1|…)\/[^`\s?]*)/g)
  t.ok(names.length > 10, `${names.length} routes`)
  for (const [file, name] of names) {
    const [, verb, route] = /^(?:([A-Z]+) )?(?:\/api)?(.*)$/.exec(name)!
    const isServed = served.some(([at, verbs]) =>
      (route!.startsWith('…') ? at.endsWith(shape(route!.slice(1))) : at === shape(route!)) &&
      (!verb || verbs.includes(verb.toLowerCase())))
    t.ok(isServed, `${file}: ${name}`)
  }
})

t.test('every command that is named in what people read is there', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const all = everyCommand({} as Parameters<typeof everyCommand>[0], () => {}).commands
  const known = new Map(all.map((one) => [one.name(), one.commands.map((part) => part.name())]))
  for (const [file, name] of named(/npm run (?:-s )?([\w:]+)/g)) t.ok(name in scripts, `${file}: npm run ${name}`)
  for (const [file, name] of named(/(?<=[`\n] *)agenthall ([a-z]+(?: [a-z]+)?)/g)) {
    const [first, second] = name.split(' ') as [string, string?]
    const parts = known.get(first)
    t.ok(parts && (parts.length === 0 || !second || parts.includes(second)), `${file}: agenthall ${name}`)
  }
  const listed = [...PAGES.get('docs/cli.md')!.matchAll(/^\| `([a-z]+)/gm)].map(([, name]) => name!)
  for (const name of known.keys()) t.ok(PAGES.get('docs/cli.md')!.includes(`\`${name}`), `docs/cli.md says what ${name} does`)
  for (const name of listed) t.ok(known.has(name), `docs/cli.md: ${name}`)
})

t.test('every file that is named in what people read is there', async (t) => {
  const names = named(/`((?:src|schema|test|scripts|docs)\/[^`\s<…]*)`/g)
  t.ok(names.length > 40)
  for (const [file, name] of names) {
    const each = /\{(.*)\}/.exec(name)?.[1]?.split(',') ?? ['']
    for (const one of each) t.ok(existsSync(name.replace(/\{.*\}/, one)), `${file}: ${name}`)
  }
})

t.test('a newcomer reads the README in five minutes: 130 lines', async (t) => {
  t.ok(PAGES.get('README.md')!.split('\n').length <= 131)
})
