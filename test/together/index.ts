import '../bare-children.ts'
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'

// npm test runs the test files of a part in one process, one after another: a process of its own for each takes three
// seconds of a processor to load the program before its first assertion, which was a third of all. Each file is a test
// by its name in which its own tests stand, and does not notice: its `import t from 'tap'` gives it that test (tap.ts).
// By itself a file runs as ever: npx tap test/x/y.test.ts.

const TESTS = path.join(import.meta.dirname, '..')

/** How long a file may take before it counts as hanging, in milliseconds; a slow machine is no fault. */
const HANGS_MS = 600_000

/** The test that the file which is now loaded stands in. */
export let current: Test

registerHooks({
  resolve: (specifier, context, next) => specifier === 'tap' && context.parentURL?.endsWith('.test.ts')
    ? next(`./tap.ts?${current.name}`, { ...context, parentURL: import.meta.url })
    : next(specifier, context)
})

/**
 * Runs this part's share of all test files but those that `include` in package.json names, which run alone. As many
 * parts as there are beside the one that asks, so that one more is a copy of its file.
 */
export async function together (part: string) {
  const parts = globSync('part-*.ts', { cwd: import.meta.dirname }).sort()
  const { tap: { include } } = JSON.parse(readFileSync(path.join(TESTS, '../package.json'), 'utf8'))
  const files = globSync('**/*.test.ts', { cwd: TESTS, exclude: ['faults/**', 'fixtures/**'] })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !include.includes(`test/${file}`))
    .sort()
  const mine = files.filter((_, index) => parts[index % parts.length] === path.basename(part))
  t.setTimeout(HANGS_MS * mine.length)
  for (const file of mine) {
    await t.test(file, { timeout: HANGS_MS }, async (t) => {
      current = t
      await import(pathToFileURL(path.join(TESTS, file)).href)
    })
  }
}
