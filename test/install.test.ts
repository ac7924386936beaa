import './bare-children.ts'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { V8_OPTIONS } from '../scripts/build/v8-options.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const { scripts, engines, dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
} & Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>

t.test('npm ci runs no install script, so that it needs neither Python nor a compiler', async (t) => {
  const setting = execFileSync('npm', ['config', 'get', 'ignore-scripts'], {
    cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']
  })
  t.equal(setting.trim(), 'true')
})

t.test('no script counts on another that npm would run before or after it, which it then does not', async (t) => {
  t.strictSame(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name)), [])
  for (const name of ['start', 'agenthall', 'dev', 'test']) {
    t.match(scripts[name], 'src/check-node.cjs', `"npm run ${name}" says when the Node is too old`)
  }
})

t.test('what browsers load is made before the tests, and before the server starts from source', async (t) => {
  // npm would not run "prestart" and "pretest" (above).
  t.match(scripts.test, /node scripts\/web\.ts && /)
  // Was wrong: tap built its class while it ran, so that a fresh clone compiled every file, and no other did.
  t.match(scripts.test, / && tap build && tap$/)
  for (const name of ['start', 'agenthall', 'dev']) {
    t.match(scripts[name], / --import \.\/scripts\/web\.ts src\/main\.ts/, name)
  }
  const [node = '', ...flags] = scripts.agenthall!.split(' ')
  const help = execFileSync(node, [...flags, 'help'], { cwd: ROOT, encoding: 'utf8' })
  t.match(help, 'serve', 'commands that serve nothing work too')
})

/** Allocates a hundred times what young memory may hold, keeps a little of it, and prints how large it became. */
const YOUNG = `
  let most = 0
  const kept = []
  for (let i = 0; i < 3e6; i++) {
    const one = [i, {}]
    if (i % 20 === 0) kept.push(one)
    if (i % 1e5 === 0) most = Math.max(most, v8.getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size)
  }
  console.log(most)`

// Was wrong: collections of young memory held the event loop for up to 54 ms beside hostile visitors.
t.test('young memory is collected while it is small, from source and packed', async (t) => {
  for (const name of ['start', 'agenthall', 'dev']) {
    const words = scripts[name]!.split(' ')
    t.strictSame(words.filter((word) => word.includes('semi-space')), V8_OPTIONS, name)
    t.ok(words.indexOf(V8_OPTIONS.at(-1)!) < words.indexOf('src/main.ts'), 'an option of Node, not of the program')
  }
  const most = Number(execFileSync(process.execPath, [...V8_OPTIONS, '-e', YOUNG], { encoding: 'utf8' }))
  t.ok(most > 0 && most <= 2 * 4 * 2 ** 20, `${most} bytes`)
})

t.test('engines, the README, its page and the check name the same Node', async (t) => {
  // Was wrong: engines required 24 where the README said 20.19, so that npm warned users who followed it.
  const [, oldest] = /^>=(\S+)$/.exec(engines.node)!
  for (const page of ['README.md', 'docs/install.md']) t.match(read(page), `Node ${oldest} or newer`, page)
  const check = read('src/check-node.cjs')
  t.match(check, `from Node ${oldest} on`)
  const [, wanted] = /^const wanted = (\d+)$/m.exec(check)!
  const [ours = '', ...others] = new Set(Object.values(optionalDependencies))
  t.strictSame(others, [], 'each system gets the same Node')
  t.ok(Number(ours.split('.')[0]) >= Number(wanted), 'which is new enough')
  t.match(read('README.md'), `runs on (${ours.split('.')[0]})`)
  t.equal(read('package-lock.json').match(/"engines": \{\s+"node": "([^"]+)"/)![1], engines.node)
})

t.test('npm says nothing about packages that ask for a newer Node than the one it runs on', async (t) => {
  // Was wrong: npm ci printed 90 warnings of five lines on Node 20.
  const level = execFileSync('npm', ['config', 'get', 'loglevel'], {
    cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH }
  })
  t.equal(level.trim(), 'error')
})

/** Packages whose internals are used, in the version for which that was verified. */
const INSIDES: Record<string, string> = {
  // The files that scripts/build/undici.cjs combines.
  undici: '8.12.4',
  // The file that the alias in scripts/build/bundle.ts names, and what it reads.
  '@embedpdf/pdfium': '2.15.1',
  // The word lists that src/search/words/word-list.ts reads.
  '@zxcvbn-ts/language-de': '3.0.2',
  '@zxcvbn-ts/language-nl-be': '3.0.2',
  // The native builds that the executable includes.
  'better-sqlite3': '13.2.0',
  // The files of the page at /docs.
  '@fastify/swagger-ui': '6.1.3',
  // The compiler as a program.
  'typescript-7': 'npm:typescript@7.0.2',
  // Arrays that they hold until an answer ends and that src/models/providers/ask.ts empties: `prompt`, `request.body`.
  '@ai-sdk/anthropic': '4.0.105',
  '@ai-sdk/openai-compatible': '3.0.92'
}
/** A file of a package that code names by its path, other than its package.json. */
const INSIDE = /node_modules\/((?:@[\w-]+\/)?[\w-]+)\/(?!package\.json)[\w.]/g

t.test('what is used of the insides of packages is that of a version that was looked at', async (t) => {
  const insidesIn = (text: string) => [...text.matchAll(INSIDE)].map(([, name]) => name!)
  const used = globSync('{src,scripts}/**/*.{ts,cjs}', { cwd: ROOT }).flatMap((file) => insidesIn(read(file)))
  t.ok(used.length >= 5)
  t.strictSame([...new Set(used)].filter((name) => !(name in INSIDES)), [], 'name it here with its version')
  const pinned = { ...dependencies, ...devDependencies, ...optionalDependencies }
  t.strictSame(
    Object.keys(INSIDES).map((name) => [name, pinned[name]]), Object.entries(INSIDES),
    'another version: look whether it still has what is used of it, then name it here'
  )
  t.strictSame(
    insidesIn("import '../node_modules/undici/lib/x.js'; 'node_modules/@a/b/c.js'; 'node_modules/fflate/package.json'"),
    ['undici', '@a/b'], 'each planted one is seen'
  )
})
