import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { mutantsOf, type Mutant } from './changes.ts'

// npm run mutants -- src/FOLDER … or src/FILE.ts … Changes each condition, bound and guard of these files in turn, runs
// the tests that reach it, and lists the changes that no test sees. One that changes nothing observable is listed in
// equivalent.txt with the reason; any other survivor fails.

const ROOT = path.join(import.meta.dirname, '../..')
process.chdir(ROOT)
const PLANT = ['--import', pathToFileURL(path.join(import.meta.dirname, 'plant.ts')).href]
const urlOf = (file: string) => pathToFileURL(path.join(ROOT, file)).href
/** Tests of whole programs and of browsers take minutes, and are far removed from the rules. */
const FAR = ['test/faults/**', 'test/browser/**', 'test/console/**', 'test/together/**', 'test/journeys/**']

/** A test file: how long it takes, and which parts of which sources it runs. */
interface Tried { test: string, ms: number, reaches: (file: string, at: number) => boolean }

/** Runs a test file; whether it passes, or `false` when it takes longer than `most`. */
async function passes (test: string, env: Record<string, string>, most = 600_000, before: string[] = []) {
  const options = [process.env.NODE_OPTIONS ?? '', ...before].join(' ').trim()
  const child = spawn(process.execPath, [test], {
    stdio: 'ignore', detached: true, env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: '600', NODE_OPTIONS: options, ...env }
  })
  // Including its children: a change may leave them waiting indefinitely.
  const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), most)
  const [code] = await once(child, 'exit')
  clearTimeout(late)
  return code === 0
}

/** For a source file, the parts that ran and those that did not, the outer before the inner. */
type Ranges = Map<string, Array<{ startOffset: number, endOffset: number, count: number }>>

/** Runs a test file on the unchanged sources. */
async function tried (test: string): Promise<Tried> {
  const directory = mkdtempSync(path.join(tmpdir(), 'mutants-'))
  const began = performance.now()
  if (!await passes(test, { NODE_V8_COVERAGE: directory })) throw new Error(`${test} is red before anything is changed.`)
  const ms = performance.now() - began
  // Types are blanked out where a file is loaded, so that V8's offsets match the file.
  const processes = readdirSync(directory).map((name): Ranges => {
    const { result } = JSON.parse(readFileSync(path.join(directory, name), 'utf8'))
    return new Map(result.map(({ url, functions }: any) => [url, functions.flatMap(({ ranges }: any) => ranges)]))
  })
  rmSync(directory, { recursive: true })
  return {
    test,
    ms,
    reaches: (file, at) => processes.some((ranges) => {
      const around = (ranges.get(urlOf(file)) ?? []).filter((one) => one.startOffset <= at && at < one.endOffset)
      const size = (one: typeof around[number]) => one.endOffset - one.startOffset
      return (around.sort((a, b) => size(a) - size(b))[0]?.count ?? 0) > 0
    })
  }
}

const runs = new Map<string, Promise<Tried>>()

/** The tests that could see a change: those that import its file, then those of its feature; the fastest first. */
async function testsOf (file: string): Promise<Tried[]> {
  const feature = file.split('/')[1]!
  const isNear = (test: string) => readFileSync(test, 'utf8').includes(`${file}'`)
  const tests = globSync('test/**/*.test.ts', { exclude: FAR })
    .filter((test) => test.split('/')[1] === feature || isNear(test))
  const all: Tried[] = []
  for (const test of tests) {
    if (!runs.has(test)) runs.set(test, tried(test))
    all.push(await runs.get(test)!)
  }
  return all.sort((a, b) => Number(isNear(b.test)) - Number(isNear(a.test)) || a.ms - b.ms)
}

/** Whether a test fails. */
async function isSeen (file: string, { start, end, text }: Mutant, tests: Tried[]): Promise<boolean> {
  const MUTANT = JSON.stringify({ url: urlOf(file), start, end, text })
  for (const { test, ms, reaches } of tests) {
    if (reaches(file, start) && !await passes(test, { MUTANT }, 10_000 + 4 * ms, PLANT)) return true
  }
  return false
}

const asked = process.argv.slice(2)
if (asked.length === 0) throw new Error('Say which files or folders: npm run mutants -- src/widget')
const files = asked.flatMap((one) => statSync(one).isDirectory() ? globSync(`${one}/**/*.ts`).sort() : [one])
const equivalent = readFileSync(path.join(import.meta.dirname, 'equivalent.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('src/'))
let survived = 0
for (const file of files) {
  const mutants = mutantsOf(file, readFileSync(file, 'utf8'))
  const names = new Set(mutants.map(({ name }) => name))
  for (const name of equivalent.filter((one) => one.startsWith(`${file} `) && !names.has(one))) {
    console.log(`no longer there, take it out of equivalent.txt: ${name}`)
    survived++
  }
  const open = mutants.filter(({ name }) => !equivalent.includes(name))
  const tests = open.length ? await testsOf(file) : []
  let seen = 0
  for (const mutant of open) {
    if (await isSeen(file, mutant, tests)) seen++
    else console.log(`survived, line ${mutant.line}: ${mutant.name}`)
  }
  survived += open.length - seen
  console.log(`${file}: ${mutants.length} changes, ${seen} seen, ${mutants.length - open.length} equivalent`)
}
process.exitCode = survived ? 1 : 0
