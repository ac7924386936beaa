import './bare-children.ts'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import t from 'tap'
import ts from 'typescript'
import { openapiText } from '../src/platform/http/openapi.ts'
import { everyRouteSaysWho } from '../src/platform/http/permit.ts'
import { VERSION } from '../src/version.ts'
import Fastify from 'fastify'
import { build, routesOf } from './helper.ts'
import { alone, filesOf, PARTS } from './together/files.ts'

type Sources = Array<[file: string, text: string]>
const sources: Sources = globSync('{schema,src}/**/*.{ts,cjs}').map((file) => [file, readFileSync(file, 'utf8')])
const read = (file: string) => readFileSync(file, 'utf8')

const trees = new Map<string, ts.SourceFile>()
/** The syntax tree of a file, parsed once for all callers. */
function treeOf ([file, text]: Sources[number]): ts.SourceFile {
  const known = trees.get(text)
  if (known) return known
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  trees.set(text, tree)
  return tree
}

const ORDER = [
  'schema', 'src/platform', 'src/kernel', 'src/locales', 'src/personal-data', 'src/access', 'src/audit', 'src/plans', 'src/deliveries', 'src/business', 'src/models', 'src/search',
  'src/reading', 'src/crawling', 'src/guards', 'src/agents', 'src/sources', 'src/conversations', 'src/handoff',
  'src/actions', 'src/notifications', 'src/replies',
  'src/tickets', 'src/webhooks', 'src/follow-ups', 'src/satisfaction', 'src/learning', 'src/checks', 'src/reviews', 'src/feeds', 'src/analytics', 'src/team',
  'src/privacy', 'src/config-as-code', 'src/imports', 'src/going-live', 'src/mcp', 'src/widget',
  'src/console'
]
/** A separate package that runs elsewhere, and knows nothing of the server but its document. */
const CLIENT = 'src/client/'
/** What wires everything together may import anything, and nothing in ORDER may import it. */
const WIRING = /^src\/(cli\/([\w-]+\/)?[\w-]+\.ts|[\w-]+\.(ts|cjs))$/

/** Imports that point the wrong way, and files that are in no layer. */
function wrongImports (files: Sources): string[] {
  const rank = (file: string) => ORDER.findIndex((folder) => file.startsWith(folder + '/'))
  return files.flatMap(([file, text]) => {
    if (file.startsWith(CLIENT)) {
      return [...text.matchAll(/(?:from|import\(?)\s*['"]([^'"]+)['"]/g)].flatMap(([, target]) =>
        /^\.\/[\w-]+\.ts$|^\.\.\/\.\.\/build\/client\//.test(target!) ? [] : [`${file} → ${target}`])
    }
    if (rank(file) === -1) return WIRING.test(file) ? [] : [`${file} stands nowhere in the order`]
    return [...text.matchAll(/(?:from|import\(?)\s*['"](\.[^'"]+)['"]/g)]
      .map(([, target]) => path.posix.join(path.posix.dirname(file), target!))
      .filter((imported) => rank(imported) === -1 || rank(imported) > rank(file))
      .map((imported) => `${file} → ${imported}`)
  })
}

t.test('imports point one way', async (t) => {
  t.strictSame(wrongImports(sources), [])
  t.strictSame(
    wrongImports([
      ['src/platform/bad.ts', "import { agentRoutes } from '../agents/index.ts'"],
      ['src/agents/bad.ts', "const x = await import('../config.ts')"],
      ['schema/bad.ts', "import '../src/platform/clock.ts'"],
      ['src/stray/file.ts', ''],
      ['src/client/bad.ts', "import { readFileSync } from 'node:fs'"],
      ['src/plans/good.ts', "import { permit } from '../access/index.ts'"]
    ]),
    [
      'src/platform/bad.ts → src/agents/index.ts', 'src/agents/bad.ts → src/config.ts',
      'schema/bad.ts → src/platform/clock.ts', 'src/stray/file.ts stands nowhere in the order',
      'src/client/bad.ts → node:fs'
    ],
    'each planted violation is seen'
  )
})

/** Import cycles, types included, each as the sorted names of its files. */
function circles (files: Sources): string[] {
  const names = new Set(files.map(([file]) => file))
  const imports = new Map(files.map(([file, text]) => [file, [
    ...text.matchAll(/(?:from|import\(?|require\()\s*['"](\.[^'"]+)['"]/g)
  ].map(([, target]) => path.posix.join(path.posix.dirname(file), target!)).filter((target) => names.has(target))]))
  const reached = new Map(files.map(([file]) => {
    const seen = new Set<string>()
    const next = [...imports.get(file)!]
    for (let one = next.pop(); one !== undefined; one = next.pop()) {
      if (!seen.has(one)) next.push(...imports.get(one)!)
      seen.add(one)
    }
    return [file, seen]
  }))
  const together = files.filter(([file]) => reached.get(file)!.has(file)).map(([file]) => (
    [...reached.get(file)!].filter((other) => reached.get(other)!.has(file)).sort().join(', ')
  ))
  return [...new Set(together)]
}

t.test('no files import one another in a circle, not even for a type', async (t) => {
  // Was wrong: six cycles, each closed by a type declared in an implementation.
  const pages: Sources = globSync('src/**/*.tsx').map((file) => [file, read(file)])
  t.strictSame(circles([...sources, ...pages]), [], 'types that others need stand in contract.ts')
  t.strictSame(
    circles([
      ['src/a/one.ts', "import { two } from './two.ts'"],
      ['src/a/two.ts', "export type { Three } from '../b/three.tsx'"],
      ['src/b/three.tsx', "type One = import('../a/one.ts').One"],
      ['src/b/itself.ts', "import './itself.ts'"],
      ['src/b/outside.ts', "import type { One } from '../a/one.ts'"]
    ]),
    ['src/a/one.ts, src/a/two.ts, src/b/three.tsx', 'src/b/itself.ts'],
    'each planted violation is seen'
  )
})

/** What a folder's index.ts re-exports by name that no file imports from there. */
function deadReexports (files: Sources): string[] {
  const [wanted, offered] = [new Set<string>(), [] as string[]]
  for (const [file, text] of files) {
    const named = /^(import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/gm
    for (const [, kind, names, from] of text.matchAll(named)) {
      const target = path.posix.join(path.posix.dirname(file), from!)
      for (const name of names!.split(',').map((one) => one.trim().replace(/^type /, '')).filter(Boolean)) {
        const [own, given = own] = name.split(' as ')
        wanted.add(`${target}: ${own}`)
        if (kind === 'export' && /^src\/(?!client\/).*\/index\.ts$/.test(file)) offered.push(`${file}: ${given}`)
      }
    }
    for (const [, from] of text.matchAll(/(?:\* from|\* as \w+ from|import\() ?'(\.[^']+)'/g)) {
      wanted.add(path.posix.join(path.posix.dirname(file), from!))
    }
  }
  return offered.filter((one) => !wanted.has(one) && !wanted.has(one.split(': ')[0]!))
}

t.test('an index hands on nothing that nobody asks it for', async (t) => {
  // Was wrong: 15 names were re-exported that nobody imported any more.
  const files: Sources = globSync('{schema,src,scripts,test}/**/*.{ts,tsx}').map((file) => [file, read(file)])
  t.strictSame(deadReexports(files), [])
  t.strictSame(
    deadReexports([
      ['src/a/index.ts', "export { one, two as three, type Four } from './a.ts'\nexport type { Five } from './b.ts'"],
      ['src/b/b.ts', "import {\n  three, type Four\n} from '../a/index.ts'"],
      ['src/c/index.ts', "export { late } from './c.ts'"],
      ['src/d/d.ts', "const { late } = await import('../c/index.ts')"]
    ]),
    ['src/a/index.ts: one', 'src/a/index.ts: Five'],
    'each planted violation is seen'
  )
})

/** What a `contract.ts` contains besides types and what they are made of. */
function notTypes (files: Sources): string[] {
  return files.filter(([file]) => path.basename(file) === 'contract.ts').flatMap((file) => treeOf(file).statements
    .filter((one) => !(
      ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one) || ts.isModuleDeclaration(one) ||
      (ts.isImportDeclaration(one) && one.importClause?.isTypeOnly) || (ts.isExportDeclaration(one) && one.isTypeOnly)
    ))
    .map((one) => `${file[0]}: ${one.getText()}`))
}

t.test('a contract holds types only', async (t) => {
  t.strictSame(notTypes(sources), [])
  t.ok(sources.filter(([file]) => file.endsWith('/contract.ts')).length >= 7)
  t.strictSame(
    notTypes([
      ['src/a/contract.ts', "import type { B } from './b.ts'\nexport interface A { b: B }\nexport const c = 1"],
      ['src/b/contract.ts', "import { C } from './c.ts'\nexport type B = C"],
      ['src/b/other.ts', 'export const c = 1']
    ]),
    ['src/a/contract.ts: export const c = 1', "src/b/contract.ts: import { C } from './c.ts'"],
    'each planted violation is seen'
  )
})

t.test('what a test was made for is told with one mark', async (t) => {
  // Was wrong: three of them meant the same.
  const files = globSync('{scripts,test}/**/*.{ts,tsx}').filter((file) => file !== 'test/architecture.test.ts')
  t.strictSame(files.filter((file) => /(?:Seen|Should be) red/.test(read(file))), [], 'the mark is "Was wrong"')
  t.ok(files.filter((file) => read(file).includes('// Was wrong')).length > 100)
})

t.test('npm test runs each test file once, a new one by itself', async (t) => {
  const files = globSync('test/**/*.test.ts').map((file) => file.slice('test/'.length))
  const run = [...PARTS.flatMap((part) => filesOf(part)), ...alone()]
  t.strictSame(run.sort(), files.filter((file) => !/^(faults|fixtures)\//.test(file)).sort())
  t.ok(run.length > 180)
})

/** Folders that may have more files: generated or collected ones; a file for each noun, for each language. */
const COLLECTED = /(^|\/)(fixtures|migrations|meta|node_modules)(\/|$)|^schema(\/sqlite)?$|^src\/locales$/
const MOST_FILES = 16

/** Folders with more files than a reader takes in at a glance. */
function fullFolders (files: string[]): string[] {
  const counts = Map.groupBy(files.map((file) => path.posix.dirname(file)), (folder) => folder)
  return [...counts]
    .filter(([folder, { length }]) => length > MOST_FILES && !COLLECTED.test(folder))
    .map(([folder]) => folder)
}

t.test('no folder holds more than 16 files', async (t) => {
  // Was wrong: 21 formats, 18 files of the search and 19 of the bench lay side by side.
  const files = globSync('{schema,src,scripts,test}/**/*', { withFileTypes: true })
    .filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.relative('.', path.join(parentPath, name)))
  t.ok(files.length > 300, 'files are seen')
  t.strictSame(fullFolders(files), [])
  const planted = (folder: string, count: number) => Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`)
  t.strictSame(
    fullFolders([...planted('src/a', 17), ...planted('src/b', 16), ...planted('test/fixtures/c', 17)]),
    ['src/a'],
    'a planted violation is seen'
  )
})

/** Foreign tables that SQL in `privacy/` names. */
const tablesOfOthers = (files: Sources) => files
  .filter(([file]) => file.startsWith('src/privacy/'))
  .flatMap(([file, text]) => [...text.matchAll(/\b(?:from|into|update|join) ([a-z]+_[a-z_]+|[a-z]+s)\b(?!\.)/g)]
    .filter(([, table]) => TABLES.has(table!) && table !== 'privacy_receipts')
    .map(([, table]) => `${file}: ${table}`))
const TABLES = new Set(sources.filter(([file]) => file.startsWith('schema/sqlite/'))
  .flatMap(([, text]) => [...text.matchAll(/sqliteTable\(\s*'(\w+)'/g)].map(([, table]) => table!)))

/** Where the body of a transaction wakes somebody itself, while others still read the state before its commit. */
const wokenTooEarly = (files: Sources) => files.flatMap((source) => {
  const found: string[] = []
  const isCallOf = (node: ts.Node, name: string): node is ts.CallExpression =>
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === name
  const visit = (node: ts.Node, isInBody: boolean) => {
    if (isCallOf(node, 'afterwards')) return
    if (isInBody && isCallOf(node, 'notify')) {
      found.push(`${source[0]}:${treeOf(source).getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
    }
    const isBody = (ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) &&
      node.asteriskToken !== undefined
    ts.forEachChild(node, (child) => visit(child, isInBody || isBody))
  }
  visit(treeOf(source), false)
  return found
})

t.test('who waits is woken once what a transaction writes is committed', async (t) => {
  // Was wrong: over a network they read before the commit, saw nothing new, and were not woken again.
  t.strictSame(wokenTooEarly(sources.filter(([, text]) => text.includes('.notify('))), [])
  t.strictSame(
    wokenTooEarly([[
      'src/planted.ts', `const bad = { delete: () => db.atomically(function * () {
        for (const one of all) notifier.notify(one)
        yield * db.afterwards(() => notifier.notify('well'))
      }) }
      function * alsoBad () { notifier.notify('x') }
      const good = async () => { notifier.notify('after it was awaited') }`
    ]]),
    ['src/planted.ts:2', 'src/planted.ts:5'],
    'planted violations are seen'
  )
})

t.test('privacy reads no table of others: each feature hands in what it knows of persons', async (t) => {
  // Was wrong: it read nine of them, and three lists named the tables of twenty features.
  t.ok(TABLES.size > 40 && TABLES.has('conversations'), 'tables are seen')
  t.strictSame(tablesOfOthers(sources), [])
  t.strictSame(
    tablesOfOthers([
      ['src/privacy/bad.ts', 'select 1 from visitors where id in (select id from privacy_receipts)'],
      ['src/tickets/good.ts', 'delete from tickets']
    ]),
    ['src/privacy/bad.ts: visitors'],
    'a planted violation is seen'
  )
})

/** Lines that a function may have, and one that only returns the functions in it. */
const [FUNCTION_LINES, CLOSURE_LINES] = [60, 200]

/**
 * Functions that are too long. One that returns functions or an object of them, receives Fastify's `app`, or assembles
 * a command is read function by function, so that it may be longer; each function in it is checked separately.
 */
function longFunctions (files: Sources): string[] {
  return files.flatMap(([file, text]) => {
    const found: string[] = []
    const source = treeOf([file, text])
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
    const visit = (node: ts.Node) => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body) {
        const lines = lineOf(node.end) - lineOf(node.getStart()) + 1
        const most = handsOutFunctions(node as ts.FunctionLikeDeclaration) ? CLOSURE_LINES - 1 : FUNCTION_LINES
        if (lines > most) {
          found.push(`${file}: ${node.name?.getText() ?? 'a function without a name'} has ${lines} lines`)
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  })
}

function handsOutFunctions ({ body, parameters: [first] }: ts.FunctionLikeDeclaration): boolean {
  if (first?.name.getText() === 'app') return true
  if (!body || !ts.isBlock(body)) return false
  const own = new Map(body.statements.flatMap((statement): Array<[string, ts.Node | undefined]> => {
    if (ts.isFunctionDeclaration(statement)) return [[statement.name!.text, statement]]
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.map(({ name, initializer }) => [name.getText(), initializer])
  }))
  const handsOut = (node: ts.Node | undefined): boolean => node !== undefined && (
    ts.isFunctionLike(node) || (ts.isCallExpression(node) && /^(group|command)$/.test(node.expression.getText())) ||
    (ts.isIdentifier(node) && own.has(node.text) && handsOut(own.get(node.text))) ||
    (ts.isObjectLiteralExpression(node) && node.properties.some((property) => {
      if (ts.isMethodDeclaration(property)) return true
      if (ts.isPropertyAssignment(property)) return handsOut(property.initializer)
      return ts.isShorthandPropertyAssignment(property) && handsOut(own.get(property.name.text))
    }))
  )
  return body.statements.some((statement) => ts.isReturnStatement(statement) && handsOut(statement.expression))
}

/** Components of console pages that are longer than 60 lines: none may join them, and what is split up leaves. */
const LONG_PAGES = [
  'account/account.tsx: Profile', 'account/passkeys.tsx: Passkeys', 'business/hours.tsx: Form',
  'business/ticketing-providers.tsx: ProviderDialog',
  'editor/editor.tsx: Form', 'figures/figures.tsx: Figures', 'inbox/writing/reply.tsx: Reply',
  'knowledge/knowledge.tsx: Sources',
  'suggestions/suggestions.tsx: One', 'tickets/tickets.tsx: Tickets', 'try/try.tsx: Chat'
]

t.test('no part of a page joins those that have more than 60 lines', async (t) => {
  // Was wrong: .tsx files were not checked.
  const pages: Sources = globSync('src/**/*.tsx').map((file) => [file, read(file)])
  const long = longFunctions(pages)
    .map((found) => found.replace(/^src\/console\/browser\/(pages\/)?| has \d+ lines$/g, ''))
  t.strictSame(long.sort(), LONG_PAGES)
})

t.test('no function has more than 60 lines, none that hands out functions 200', async (t) => {
  // Was wrong: `trainer` had 230 lines, `sqlitePassages` 200.
  t.strictSame(longFunctions(sources), [])
  const lines = (count: number) => '  x()\n'.repeat(count)
  t.strictSame(
    longFunctions([
      ['a', `function long () {\n${lines(59)}}`],
      ['b', `function right () {\n${lines(58)}}`],
      ['c', `function methods () {\n${lines(90)}return { a () {}, b }\n}`],
      ['d', `function inner () {\n${lines(60)}function f () {}\nreturn f\n}`],
      ['e', `function closure () {\n${lines(198)}return { a () {} } }`],
      ['f', `const plugin = async (app) => {\n${lines(100)}}`],
      ['g', `function data () {\n${lines(60)}const a = 1\nreturn { a }\n}`],
      ['h', `const o = {\n  m () {\n${lines(60)}}\n}`],
      ['i', `function outer () {\n  return { m }\n  function m () {\n${lines(60)}}\n}`]
    ]),
    [
      'a: long has 61 lines', 'e: closure has 200 lines', 'g: data has 64 lines', 'h: m has 62 lines',
      'i: m has 62 lines'
    ],
    'each planted violation is seen'
  )
})

/** What only features speak of: their nouns, the format of their keys, their tables. */
const FEATURE_WORDS = /\b(Permissions?|agh_\w*|Api-Key|users|tiers?|agents|knowledge|passages|api_?keys?)\b/
/** Shapes that every service has. */
const EVERYBODYS = /\/schema\/(common|envelopes|typed|sqlite\/storage)\.ts'$/

/** Where the platform mentions a feature, or imports its nouns. */
function featureWords (files: Sources): string[] {
  return files.filter(([file]) => file.startsWith('src/platform/')).flatMap(([file, text]) => {
    const nouns = [...text.matchAll(/from '[^']*\/schema\/[^']+'/g)]
      .map(([imported]) => imported)
      .filter((imported) => !EVERYBODYS.test(imported))
    const words = text.split('\n').map((line) => FEATURE_WORDS.exec(line)?.[0]).filter((word) => word !== undefined)
    return [...nouns, ...words].map((word) => `${file}: ${word}`)
  })
}

t.test('platform knows no feature\'s word', async (t) => {
  // Was wrong: it mentioned permissions, users and the prefix of keys.
  t.strictSame(featureWords(sources), [])
  t.strictSame(
    featureWords([
      ['src/platform/a.ts', "import type { Permission } from '../../schema/access.ts'"],
      ['src/platform/b.ts', "import type { Id } from '../../schema/common.ts'\nconst looks = /agh_[0-9A-Z]+/"],
      ['src/platform/c.ts', "'select revision from users where id = ?'"],
      ['src/access/d.ts', "import type { Permission } from '../../schema/access.ts'"]
    ]),
    [
      "src/platform/a.ts: from '../../schema/access.ts'", 'src/platform/a.ts: Permission', 'src/platform/b.ts: agh_',
      'src/platform/c.ts: users'
    ],
    'each planted violation is seen'
  )
})

const ENVIRONMENT = /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\bfrom\s*['"](node:)?process['"]/
/** config.ts defines what is read; main.ts passes the environment in. */
const readsEnvironment = (files: Sources) => files.filter(([, text]) => ENVIRONMENT.test(text)).map(([file]) => file)

/**
 * Where outside of hand-offs the handler is written: in objects, or in SQL. `AT_FIRST` says how a conversation begins.
 */
function changesHands (files: Sources): string[] {
  return files
    .filter(
      ([file]) =>
        file.startsWith('src/') && !file.startsWith('src/handoff/') && file !== 'src/conversations/handoff/policy.ts'
    )
    .flatMap(([file, text]) => {
      const found: string[] = []
      const visit = (node: ts.Node) => {
        const name = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) ? node.name.getText() : ''
        // A query may filter by it; a filter is no value of a conversation.
        const isShape = ts.isPropertyAssignment(node) && /^(Type\.|HandedBy)/.test(node.initializer.getText())
        if (/^(handled_by|epoch|speaker|episode)$/.test(name) && !isShape && isConversation(node.parent)) {
          found.push(`${file}: ${name}`)
        }
        if (
          ts.isStringLiteralLike(node) &&
          /update conversations set[^;]*\b(handled_by|epoch|person|speaker)\b/i.test(node.text)
        ) { found.push(`${file}: in SQL`) }
        ts.forEachChild(node, visit)
      }
      visit(treeOf([file, text]))
      return found
    })
}

/** An object that is a conversation or a change of one: it copies another, or says who handles it. */
function isConversation (node: ts.Node): boolean {
  return ts.isObjectLiteralExpression(node) && node.properties.some((property) => ts.isSpreadAssignment(property)
    ? /conversation|current|change/i.test(property.expression.getText())
    : property.name?.getText() === 'handled_by')
}

t.test('only handoff/ changes who speaks in a conversation', async (t) => {
  // What browsers send is a filter: they change nothing except through the server.
  t.strictSame(changesHands(sources.filter(([file]) => !file.includes('/browser/'))), [])
  t.strictSame(
    changesHands([
      ['src/conversations/a.ts', "const next = { ...conversation, handled_by: 'person' }"],
      ['src/widget/b.ts', "raw.prepare('update conversations set handled_by = ? where id = ?')"],
      ['src/tickets/c.ts', "const change = { handled_by: 'agent' }"],
      ['src/handoff/d.ts', "const change = { handled_by: 'agent' }"],
      ['src/conversations/e.ts', 'const run = { epoch: 1 }']
    ]),
    ['src/conversations/a.ts: handled_by', 'src/widget/b.ts: in SQL', 'src/tickets/c.ts: handled_by'],
    'each planted violation is seen'
  )
})

t.test('only config.ts gets to see the environment, handed in by main.ts', async (t) => {
  // fast-start.cjs is loaded before the program and asks one thing of Node itself: whether coverage is counted.
  t.strictSame(
    readsEnvironment(sources)
      .filter((file) => file !== 'src/config.ts')
      .sort(),
    ['src/fast-start.cjs', 'src/main.ts']
  )
  t.strictSame(
    readsEnvironment([
      ['a', 'process.env.X'],
      ['b', "process['env']"],
      ['c', "import { env } from 'node:process'"],
      ['d', 'process.exitCode = 1']
    ]),
    ['a', 'b', 'c']
  )
})

const CLIENTS =
  /import\s+(?!type\b)([^'"]*?)\s*from\s*['"](node:http|node:https|node:http2|node:net|node:tls|node:dgram|http|https|net|tls|undici)['"]/g
const LATE_CLIENTS =
  /import\(\s*['"](node:http|node:https|node:http2|node:net|node:tls|node:dgram|http|https|net|tls|undici)['"]/
const HARMLESS = /^(\s*|STATUS_CODES|BlockList|isIP|isIPv4|isIPv6|SocketAddress|type \w+)$/

/** Files that could open an outgoing connection: with a client of Node's or a package's, or with the global fetch. */
function opensConnections (files: Sources): string[] {
  return files.filter(([, text]) => {
    const clients = [...text.matchAll(CLIENTS)].some(
      ([, names]) =>
        !names!
          .replace(/[{}]/g, '')
          .split(',')
          .every((name) => HARMLESS.test(name.trim()))
    )
    const own = /(import[^'"]*\bfetch\b|function fetch\b|const fetch\b|fetch[,:]|\{[^}]*\bfetch\b)/.test(text)
    return (
      clients ||
      LATE_CLIENTS.test(text) ||
      /globalThis\.fetch|new (WebSocket|EventSource)\b/.test(text) ||
      (!own && /(?<![.\w])fetch\s*\(/.test(text))
    )
  }).map(([file]) => file)
}

t.test('only egress.ts can open a connection outward', async (t) => {
  // Code that browsers run can only call the server that it came from, and clients run elsewhere.
  t.strictSame(
    opensConnections(sources).filter(
      (file) => file !== 'src/platform/net/egress.ts' && !/^src\/(\w+\/browser|client)\//.test(file)
    ),
    []
  )
  t.strictSame(
    opensConnections([
      ['a', "import { request } from 'node:https'"],
      ['b', "await fetch('http://x')"],
      ['c', "import { Agent } from 'undici'"],
      ['d', "import net, { isIP } from 'node:net'"],
      ['e', "import type { Socket } from 'node:net'"],
      ['f', "import { BlockList } from 'node:net'"],
      ['g', 'new WebSocket(url)'],
      ['h', "await import('undici')"]
    ]),
    ['a', 'b', 'c', 'd', 'g', 'h']
  )
})

/**
 * Store methods that are not about one owner's data, each for a reason: creating a user, what the operator's command
 * line reads about everybody, and what authentication has to read before it knows who is calling.
 */
const OWNERLESS = [
  // By a code or token, which say whose they are.
  'GrantStore.exchange',
  'GrantStore.refresh',
  'GrantStore.revoke',
  // A look is a job's, which belongs to its feed and so to the owner; folders are watched whoever names them.
  'LookStore.begin',
  'LookStore.keep',
  'LookStore.move',
  'LookStore.ended',
  'LookStore.failed',
  'LookStore.folders',
  // Inspecting an import is a job's, which belongs to it and so to its owner.
  'ImportStore.looked',
  'ImportStore.waiting',
  // Once a day for everybody.
  'FreshnessStore.askReports',
  'ImportStore.expire',
  'FreshnessStore.agentsAfter',
  // Work in progress when the process ended, whoever owns it.
  'CallStore.interrupted',
  'AccessStore.createUser',
  'AccessStore.createFirstUser',
  'AccessStore.users',
  'AgentStore.ownerOf',
  'AccessStore.allKeys',
  'AccessStore.revokeAnyKey',
  'AccessStore.holder',
  'AccessStore.touch',
  'AccessStore.generation',
  // The same for signing in: by a session, an address, a link or an authenticator, each of which identifies the user.
  'SignInStore.holder',
  'SignInStore.touch',
  'SignInStore.generation',
  'SignInStore.canMail',
  'SignInStore.mailLink',
  'SignInStore.byEmail',
  'SignInStore.link',
  'SignInStore.about',
  'SignInStore.useLink',
  'PasskeyStore.byCredential',
  'PasskeyStore.used',
  // The link identifies the team.
  'TeamStore.accept',
  // A file's address is random, and anyone who has it may read it.
  'KnowledgeStore.byFile',
  'AttachmentStore.at',
  // Once a day for everybody: files that were uploaded and never named in a message.
  'AttachmentStore.forgetLoose',
  // An outbox entry is self-contained; it is sent, and later removed, whoever owns it.
  'OutboxStore.begin',
  'OutboxStore.settle',
  'OutboxStore.forget',
  // What a page names before its owner is known: public keys of widgets, and the sites they are on.
  'WidgetStore.find',
  'WidgetStore.isKnownOrigin',
  // Mail comes in for everybody, under codes that name a ticket; an address is limited whoever writes to it; a
  // provider's address for webhooks names it.
  'TicketStore.ownerOf',
  'TicketStore.reserved',
  'TicketStore.noteAutomatic',
  'TicketingProviderStore.byInbound',
  // What waits for a route out is scanned for everybody.
  'TicketStore.nextWaiting',
  // What a crash left unfinished is resumed for everybody, before any request.
  'ConversationStore.unfinished',
  // At each start for everybody: re-encrypts what an older version had sealed.
  'ModelProviderStore.reseal',
  // Once a day for everybody; and a visitor's id is as random as a file's address, where the operator names one.
  'PrivacyStore.retain',
  'PrivacyStore.ownerOf',
  // A job was created for one owner's source and identifies both.
  'TrainingStore.begin',
  'TrainingStore.sourceOf',
  'TrainingStore.end',
  'TrainingStore.happened',
  'TrainingStore.visits',
  'TrainingStore.keepChild'
]

/**
 * Methods of store contracts whose first parameter is not a required `owner` or `user` of type Id; read from the syntax
 * tree.
 */
function ownerless (files: Sources): string[] {
  const found: string[] = []
  for (const [file, text] of files) {
    for (const statement of treeOf([file, text]).statements) {
      if (!ts.isInterfaceDeclaration(statement) || !statement.name.text.endsWith('Store')) continue
      for (const member of statement.members) {
        const [first] = ts.isMethodSignature(member) ? member.parameters : []
        const type =
          first?.type && ts.isTypeReferenceNode(first.type) && ts.isIdentifier(first.type.typeName)
            ? first.type.typeName.text
            : ''
        const scoped =
          first &&
          !first.questionToken &&
          ts.isIdentifier(first.name) &&
          ['owner', 'user'].includes(first.name.text) &&
          type === 'Id'
        if (!scoped) found.push(`${statement.name.text}.${(member.name as ts.Identifier)?.text}`)
      }
    }
  }
  return found
}

t.test('the owner is the first argument of every store method, and never optional', async (t) => {
  // Was wrong: contracts were looked for in files called store.ts at the top of a feature, and six were elsewhere.
  const contracts = sources.filter(([file, text]) => file.startsWith('src/') && /interface \w+Store\b/.test(text))
  t.ok(contracts.length >= 20, `${contracts.length} files hold contracts`)
  t.strictSame(ownerless(contracts).filter((method) => !OWNERLESS.includes(method)), [])
  t.strictSame(
    OWNERLESS.filter((method) => !ownerless(contracts).includes(method)), [], 'no exception outlives its method'
  )
  t.strictSame(
    ownerless([
      [
        'x',
        `
    interface ThingStore { a (owner?: Id): void, b (id: Id, owner: Id): void, c (): void, d (owner: Id | undefined): void, e: (owner: Id) => void, f (owner: Id, id: Id): void }
    interface Other { a (): void }`
      ]
    ]),
    ['ThingStore.a', 'ThingStore.b', 'ThingStore.c', 'ThingStore.d', 'ThingStore.e']
  )
})

t.test('a store asked with no owner finds and changes nothing; with another one: owners.test.ts', async (t) => {
  const { stores, user } = await build(t)
  const mine = await user()
  const { id } = (await mine.post('/v1/agents', { name: 'A', systemPrompt: 'b' })).json().data
  for (const owner of [undefined as never, null as never, NaN]) {
    t.equal(await stores.agents.get(owner, id), undefined)
    t.equal(await stores.agents.update(owner, id, () => { throw new Error('shown to a stranger') }), undefined)
    t.equal(await stores.agents.delete(owner, id, () => { throw new Error('shown to a stranger') }), false)
    t.strictSame(await stores.agents.slice(owner, {}, 0, 100), [])
    t.strictSame(await stores.agents.page(owner, {}, 0, 100), [])
    t.equal(await stores.agents.count(owner, {}), 0)
    t.strictSame(await stores.agents.usage(owner), { agents: 0, training_bytes: 0 })
    t.equal(await stores.access.revokeKey(owner, 1), false)
  }
  t.equal((await mine.get(`/v1/agents/${id}`)).statusCode, 200)
})

t.test('the routes that need no key are these and no others', async (t) => {
  const { app } = await build(t)
  const open: string[] = []
  for (const { method, url } of await routesOf(app)) {
    const { statusCode } = await app.inject({
      method, url: url.replace(':id', '1'), ...(method === 'POST' || method === 'PUT' ? { payload: {} } : {})
    })
    if (statusCode !== 401) open.push(`${method} ${url}`)
  }
  t.strictSame(open.filter((route) => !route.startsWith('HEAD')).sort(), [
    'GET /',
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-protected-resource/mcp',
    'GET /chat/:key',
    'GET /console',
    'GET /console/:name',
    'GET /console/sw.js',
    'GET /docs',
    'GET /docs/look.css',
    'GET /docs/start.js',
    'GET /docs/swagger-ui-bundle.js',
    'GET /docs/swagger-ui.css',
    'GET /healthz',
    'GET /media/:path',
    'GET /oauth/authorize',
    'GET /openapi.json',
    // Anyone with the link in a mail may rate.
    'GET /rate/:id',
    'GET /readyz',
    // Visitors of widgets: its appearance, and a token; a browser sends OPTIONS before it sends that.
    'GET /v1/widget/:key/config',
    'GET /widget.js',
    'GET /widget/:name',
    'OPTIONS /.well-known/oauth-authorization-server',
    'OPTIONS /.well-known/oauth-protected-resource',
    'OPTIONS /.well-known/oauth-protected-resource/mcp',
    'OPTIONS /oauth/revoke',
    'OPTIONS /oauth/token',
    'OPTIONS /openapi.json',
    ...[
      '/:key/config', '/actions', '/conversations', '/conversations/:id', '/conversations/:id/attachments',
      '/conversations/:id/calls', '/conversations/:id/calls/:call/confirm', '/conversations/:id/calls/:call/refuse',
      '/conversations/:id/events', '/conversations/:id/handoff', '/conversations/:id/messages',
      '/conversations/:id/messages/:message', '/conversations/:id/messages/:message/feedback',
      '/conversations/:id/messages/:message/regenerate',
      '/conversations/:id/messages/:message/stop', '/conversations/:id/satisfaction', '/conversations/:id/seen',
      '/conversations/:id/typing',
      '/session', '/visitor'
    ].map((url) => `OPTIONS /v1/widget${url}`),
    // Callers that sign in have neither key nor session yet.
    'POST /oauth/revoke',
    'POST /oauth/token',
    'POST /rate/:id',
    'POST /v1/inbound/mail/:token',
    'POST /v1/inbound/tickets/:token',
    'POST /v1/invitations/accept',
    'POST /v1/links/look',
    'POST /v1/links/request',
    'POST /v1/links/use',
    'POST /v1/session',
    'POST /v1/session/passkey',
    'POST /v1/session/passkey/options',
    'POST /v1/widget/session'
  ])
})

t.test('a route that does not say who may call it does not boot', async (t) => {
  const app = Fastify()
  await app.register(everyRouteSaysWho)
  t.throws(() => app.get('/silent', async () => 'x'), /GET \/silent does not say who may call it/)
  app.get('/said', { config: { permit: 'anyone' } }, async () => 'x')
  t.equal((await app.inject('/said')).statusCode, 200)
})

t.test('what is generated is what would be generated now', async (t) => {
  const { app } = await build(t)
  t.equal(read('openapi.json'), openapiText(app), 'openapi.json: run npm run openapi')

  const page = 'docs/settings.md'
  const directory = t.testdir({
    docs: { 'settings.md': read(page).replace(/(<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/, '$1') }
  })
  execFileSync(process.execPath, [path.resolve('scripts/settings.ts')], { cwd: directory })
  t.equal(read(page), read(path.join(directory, page)), `${page}: run node scripts/settings.ts`)
  t.match(read(page), '| `AGENTHALL_PORT` | `8080` |')
  t.match(read('CHANGELOG.md'), `\n## ${VERSION} `, 'the changelog has a part about this version')
})

t.test('the checked-in migrations make the tables that the schema describes', async (t) => {
  const { generateSQLiteDrizzleJson, generateSQLiteMigration } = await import('drizzle-kit/api')
  const tables: Record<string, unknown> = {}
  for (const file of globSync('schema/sqlite/*.ts')) Object.assign(tables, await import(path.resolve(file)))
  const { entries } = JSON.parse(read('schema/sqlite/migrations/meta/_journal.json')) as {
    entries: Array<{ idx: number, tag: string }>
  }
  const newest = JSON.parse(
    read(`schema/sqlite/migrations/meta/${String(entries.at(-1)!.idx).padStart(4, '0')}_snapshot.json`)
  )
  t.strictSame(
    await generateSQLiteMigration(newest, await generateSQLiteDrizzleJson(tables)), [], 'npm run migration -- <name>'
  )
  t.strictSame(entries.map(({ tag }) => `${tag}.sql`), globSync('*.sql', { cwd: 'schema/sqlite/migrations' }).sort())
})

/** JSON columns that are read as written, under a type that says more. */
const bareJson = (files: Sources) => files.flatMap(([file, text]) =>
  [...text.matchAll(/(\w+): \w+\([^\n]*mode: 'json'[^\n]*\$type</g)].map(([, column]) => `${file}: ${column}`))

t.test('every column of JSON is completed from the one list of defaults', async (t) => {
  // Was wrong: 24 of 29 were read as written, so that a field added later was missing in older rows.
  t.strictSame(bareJson(sources), [], 'use completed, completedList or listOf of schema/sqlite/completed.ts')
  t.strictSame(
    bareJson([
      ['a', "  crawl: column({ mode: 'json' }).$type<Crawl>(),"],
      ['b', "  usage: blob('usage', { mode: 'json' }).notNull().$type<Usage>(),"],
      ['c', "  payload: column({ mode: 'json' }),\n  kind: column().$type<Kind>(),"],
      ['d', "  crawl: completed('crawl'),"]
    ]),
    ['a: crawl', 'b: usage'],
    'each planted violation is seen; what is read as nothing known may be'
  )
})

t.test('every group of routes in the API document is described, and none that has no routes', async (t) => {
  // Was wrong: without an order of their own, health and widget came before the agents.
  const { app } = await build(t)
  const { tags, paths } = JSON.parse(openapiText(app)) as {
    tags: Array<{ name: string }>, paths: Record<string, Record<string, { tags: string[] }>>
  }
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap((route) => route.tags)))
  t.strictSame(tags.map(({ name }) => name).sort(), [...used].sort())
  t.equal(tags[0]!.name, 'Agents')
})

t.test('every example in the API document is valid, and there are some', async (t) => {
  const { app } = await build(t)
  const document = app.swagger() as unknown as Record<string, unknown>
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'api')
  const wrong: string[] = []
  let examples = 0
  const check = (pointer: string, schema: AnySchema, example: unknown) => {
    examples++
    const inPlace = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'))
    if (!ajv.validate(inPlace, example)) wrong.push(`${pointer}: ${ajv.errorsText()}`)
  }
  const walk = (value: unknown, pointer: string) => {
    if (typeof value !== 'object' || value === null) return
    const {
      schema, example, examples: several
    } = value as { schema?: AnySchema, example?: unknown, examples?: unknown[] }
    if (schema && example !== undefined) check(pointer, schema, example)
    if (Array.isArray(several)) for (const one of several) check(pointer, value, one)
    for (const [key, item] of Object.entries(value)) walk(item, `${pointer}/${key}`)
  }
  walk(document, '')
  t.strictSame(wrong, [])
  t.ok(examples > 20, `${examples} examples`)
})

t.test(
  'the API document shows each refusal by an example of its own, and the headers that a route heeds',
  async (t) => {
    // Was wrong: every refusal was shown as the 401, and Idempotency-Key was in prose only.
    const { app } = await build(t)
    type Operation = {
      parameters?: Array<{ in: string, name: string }>
      responses: Record<string, { $ref?: string } & Answered>
    }
    interface Example { error: { status?: number } }
    interface Answered {
      content?: Record<string, { example?: Example, examples?: Record<string, { value: Example }> }>
    }
    const { paths, components } = app.swagger() as unknown as {
      paths: Record<string, Record<string, Operation>>, components: { responses: Record<string, Answered> }
    }
    const heeded: string[] = []
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(operations)) {
        const at = `${method.toUpperCase()} ${path}`
        for (const [status, told] of Object.entries(responses)) {
          const { content } = told.$ref ? components.responses[told.$ref.split('/').at(-1)!]! : told
          // A malformed request is answered without a status, as the interface has it.
          if (Number(status) >= 401 && path.startsWith('/v1')) {
            const { example, examples = {} } = content?.['application/json'] ?? {}
            const shown = example ? [example] : Object.values(examples).map(({ value }) => value)
            t.ok(shown.length > 0 && shown.every(({ error }) => error.status === Number(status)), `${at} ${status}`)
          }
        }
        for (const { in: where, name } of parameters) if (where === 'header' && name !== 'Agenthall-Account') heeded.push(`${at}: ${name}`)
      }
    }
    t.strictSame(heeded.sort(), [
      'DELETE /v1/actions/{id}: If-Match', 'DELETE /v1/agents/{id}/feeds/{feed}: If-Match',
      'DELETE /v1/agents/{id}/knowledge_folders/{fid}: If-Match',
      'DELETE /v1/agents/{id}/knowledge_sources/{sid}: If-Match',
      'DELETE /v1/agents/{id}/questions/{question}: If-Match', 'DELETE /v1/agents/{id}/widget_keys/{key}: If-Match',
      'DELETE /v1/agents/{id}: If-Match', 'DELETE /v1/connections/{id}: If-Match',
      'DELETE /v1/conversations/{id}: If-Match', 'DELETE /v1/members/{id}: If-Match',
      'DELETE /v1/saved_replies/{id}: If-Match', 'DELETE /v1/ticketing_providers/{id}: If-Match',
      'DELETE /v1/webhooks/{id}: If-Match', 'GET /v1/actions/{id}: If-None-Match',
      'GET /v1/agents/{id}/events: Last-Event-ID', 'GET /v1/agents/{id}/feeds/{feed}: If-None-Match',
      'GET /v1/agents/{id}/knowledge_folders/{fid}: If-None-Match',
      'GET /v1/agents/{id}/knowledge_sources/{sid}: If-None-Match',
      'GET /v1/agents/{id}/questions/{question}: If-None-Match',
      'GET /v1/agents/{id}/runs/{run}/events: Last-Event-ID', 'GET /v1/agents/{id}/vocabulary: If-None-Match',
      'GET /v1/agents/{id}/widget_keys/{key}: If-None-Match', 'GET /v1/agents/{id}: If-None-Match',
      'GET /v1/agents: If-None-Match', 'GET /v1/business: If-None-Match', 'GET /v1/connections/{id}: If-None-Match',
      'GET /v1/conversations/{id}/events: Last-Event-ID', 'GET /v1/conversations/{id}: If-None-Match',
      'GET /v1/events: Last-Event-ID', 'GET /v1/members/{id}: If-None-Match',
      'GET /v1/saved_replies/{id}: If-None-Match', 'GET /v1/ticketing_providers/{id}: If-None-Match',
      'GET /v1/tickets/{id}: If-None-Match', 'GET /v1/visitors/{id}: If-None-Match',
      'GET /v1/webhooks/{id}: If-None-Match', 'GET /v1/widget/conversations/{id}/events: Last-Event-ID',
      'PATCH /v1/actions/{id}: If-Match', 'PATCH /v1/agents/{id}/feeds/{feed}: If-Match',
      'PATCH /v1/agents/{id}/questions/{question}: If-Match',
      'PATCH /v1/agents/{id}/widget_keys/{key}: If-Match', 'PATCH /v1/conversations/{id}: If-Match',
      'PATCH /v1/members/{id}: If-Match', 'PATCH /v1/saved_replies/{id}: If-Match',
      'PATCH /v1/ticketing_providers/{id}: If-Match', 'PATCH /v1/tickets/{id}: If-Match',
      'PATCH /v1/visitors/{id}: If-Match', 'PATCH /v1/webhooks/{id}: If-Match', 'POST /v1/actions: Idempotency-Key',
      'POST /v1/agents/{id}/chat: Idempotency-Key', 'POST /v1/agents/{id}/conversations: Idempotency-Key',
      'POST /v1/agents/{id}/feeds: Idempotency-Key',
      'POST /v1/agents/{id}/knowledge_folders: Idempotency-Key',
      'POST /v1/agents/{id}/knowledge_sources/preview: Idempotency-Key',
      'POST /v1/agents/{id}/knowledge_sources/{sid}/train: Idempotency-Key',
      'POST /v1/agents/{id}/knowledge_sources: Idempotency-Key', 'POST /v1/agents/{id}/publish: Idempotency-Key',
      'POST /v1/agents/{id}/questions: Idempotency-Key', 'POST /v1/agents/{id}/runs: Idempotency-Key',
      'POST /v1/agents/{id}/search: Idempotency-Key',
      'POST /v1/agents/{id}/suggestions/{sid}/approve: Idempotency-Key',
      'POST /v1/agents/{id}/suggestions/{sid}/dismiss: Idempotency-Key',
      'POST /v1/agents/{id}/versions/{number}/publish: Idempotency-Key',
      'POST /v1/agents/{id}/widget_keys/{key}/identity_secrets: Idempotency-Key',
      'POST /v1/agents/{id}/widget_keys: Idempotency-Key', 'POST /v1/agents: Idempotency-Key',
      'POST /v1/api_keys: Idempotency-Key', 'POST /v1/chat/completions: Idempotency-Key',
      'POST /v1/connections: Idempotency-Key', 'POST /v1/conversations/{id}/attachments: Idempotency-Key',
      'POST /v1/conversations/{id}/close: Idempotency-Key', 'POST /v1/conversations/{id}/handoff: Idempotency-Key',
      'POST /v1/conversations/{id}/messages/{message}/question: Idempotency-Key',
      'POST /v1/conversations/{id}/messages/{message}/regenerate: Idempotency-Key',
      'POST /v1/conversations/{id}/messages: Idempotency-Key', 'POST /v1/conversations/{id}/notes: Idempotency-Key',
      'POST /v1/conversations/{id}/release: Idempotency-Key', 'POST /v1/conversations/{id}/takeover: Idempotency-Key',
      'POST /v1/conversations/{id}/tickets: Idempotency-Key', 'POST /v1/deliveries/{id}/replay: Idempotency-Key',
      'POST /v1/imports: Idempotency-Key',
      'POST /v1/invitations: Idempotency-Key', 'POST /v1/model_providers: Idempotency-Key',
      'POST /v1/saved_replies: Idempotency-Key', 'POST /v1/ticketing_providers: Idempotency-Key',
      'POST /v1/tickets/{id}/messages: Idempotency-Key', 'POST /v1/tickets: Idempotency-Key',
      'POST /v1/visitors: Idempotency-Key', 'POST /v1/webhooks/{id}/rotate: Idempotency-Key',
      'POST /v1/webhooks/{id}/test: Idempotency-Key', 'POST /v1/webhooks: Idempotency-Key',
      'PUT /v1/agents/{id}/knowledge_folders/{fid}: If-Match', 'PUT /v1/agents/{id}/knowledge_sources/{sid}: If-Match',
      'PUT /v1/agents/{id}/vocabulary: If-Match', 'PUT /v1/agents/{id}: If-Match', 'PUT /v1/business: If-Match',
      'PUT /v1/connections/{id}: If-Match'
    ])
  }
)
