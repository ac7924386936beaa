import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { mutantsOf, type Mutant } from '../../scripts/mutants/changes.ts'

const TOOL = path.join(import.meta.dirname, '../../scripts/mutants')

const planted = (source: string, { start, end, text }: Mutant) => source.slice(0, start) + text + source.slice(end)

/** The results of each change to a source. */
const made = (source: string) => mutantsOf('src/a.ts', source).map((mutant) => planted(source, mutant))

t.test('conditions, bounds and guards are each changed in the ways in which people get them wrong', (t) => {
  t.strictSame(made('a < b'), ['a <= b'])
  t.strictSame(made('a >= b'), ['a > b'])
  t.strictSame(made('a === b && !c'), ['a === b || !c', 'a !== b && !c', 'a === b && c'])
  t.strictSame(made('if (a) b()'), ['if (false) b()', 'if (true) b()'])
  t.strictSame(made('while (a) b()'), ['while (false) b()'])
  t.strictSame(made('a ? b : c'), ['true ? b : c', 'false ? b : c'])
  t.strictSame(made('const MOST = 1_000'), ['const MOST = 1001'])
  t.strictSame(made('const isLate = true'), ['const isLate = false'])
  t.strictSame(made('Math.min(a - b, c * d)'), ['Math.max(a - b, c * d)', 'Math.min(a + b, c * d)', 'Math.min(a - b, c / d)'])
  t.strictSame(made('all.some(isOdd)'), ['all.every(isOdd)'])
  t.strictSame(made('type A = 1 | true\nimport b from "b"\nconst c = (d: 7) => d as 8'), [], 'types and imports say nothing')
  t.end()
})

t.test('a change has a name that tells where it is and what it does, and no other has', (t) => {
  // Was wrong: a change recorded as not observable hid every other that is written alike.
  const source = 'export function isDue (now: number) {\n  if (now > 5) return true\n  return now > 5\n}\n'
  const mutants = mutantsOf('src/a.ts', source)
  t.strictSame(mutants.map(({ line, name }) => `${line} ${name}`), [
    '2 src/a.ts isDue: if now > 5 → false',
    '2 src/a.ts isDue: if now > 5 → true',
    '2 src/a.ts isDue: now > 5 → now >= 5',
    '2 src/a.ts isDue: now > 5 → now > 6',
    '2 src/a.ts isDue: true → false',
    '3 src/a.ts isDue: now > 5 → now >= 5 (2)',
    '3 src/a.ts isDue: now > 5 → now > 6 (2)'
  ])
  t.end()
})

t.test('a planted change is in what is loaded, and the file stays as it is', (t) => {
  const directory = t.testdir({ 'a.ts': 'export const most: number = 10\n', 'b.ts': "import { most } from './a.ts'\nconsole.log(most)\n" })
  const [a, b] = ['a.ts', 'b.ts'].map((name) => path.join(directory, name)) as [string, string]
  const [{ start, end, text }] = mutantsOf('src/a.ts', readFileSync(a, 'utf8')) as [Mutant]
  const MUTANT = JSON.stringify({ url: pathToFileURL(a).href, start, end, text })
  const run = (...options: string[]) =>
    execFileSync(process.execPath, [...options, b], { env: { ...process.env, NODE_OPTIONS: '', MUTANT } }).toString().trim()
  t.equal(run('--import', pathToFileURL(path.join(TOOL, 'plant.ts')).href), '11')
  t.equal(run(), '10')
  t.end()
})

t.test('the tool names what is asked for wrongly, and passes where there is nothing to change', (t) => {
  const tool = (...args: string[]) => spawnSync(process.execPath, [path.join(TOOL, 'index.ts'), ...args], { encoding: 'utf8' })
  t.match([tool().status, tool().stderr], [1, /Say which files or folders/])
  const { status, stdout } = tool('src/version.ts')
  t.match([status, stdout], [0, /^src\/version\.ts: 0 changes, 0 seen, 0 equivalent\n$/])
  t.end()
})

t.test('each change that is recorded as one that nobody could see is still there, behind the reason', (t) => {
  const lines = readFileSync(path.join(TOOL, 'equivalent.txt'), 'utf8').split('\n')
  const known = new Map<string, Set<string>>()
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    if (line.startsWith('#')) {
      t.ok(at === 0 || lines[at - 1] === '' || lines[at - 1]!.startsWith('#'), `a reason of its own: ${line}`)
      continue
    }
    const file = line.split(' ')[0]!
    if (!t.ok(existsSync(file), line)) continue
    if (!known.has(file)) known.set(file, new Set(mutantsOf(file, readFileSync(file, 'utf8')).map(({ name }) => name)))
    t.ok(known.get(file)!.has(line), line)
    t.ok(lines[at - 1]!.startsWith('#') || lines[at - 1]!.startsWith('src/'), `with its reason: ${line}`)
  }
  t.equal(new Set(lines.filter((line) => line.startsWith('src/'))).size, lines.filter((line) => line.startsWith('src/')).length)
  t.end()
})
