import '../bare-children.ts'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { TESTS, filesOf } from './files.ts'

// npm test runs the test files of a part in one process, one after another: a separate process for each takes three
// seconds of CPU time to load the program before its first assertion, which was a third of all. Each file is a test by
// its name that contains its own tests, and does not notice: its `import t from 'tap'` gives it that test (tap.ts). On
// its own a file runs as ever: npx tap test/x/y.test.ts. What it starts has to end with it: what fails later fails the
// part.

/** How long a file may take before it counts as hanging, in milliseconds; a slow machine is no fault. */
const HANGS_MS = 600_000

/** The test that contains the file being loaded. */
export let current: Test

registerHooks({
  resolve: (specifier, context, next) => specifier === 'tap' && context.parentURL?.endsWith('.test.ts')
    ? next(`./tap.ts?${current.name}`, { ...context, parentURL: import.meta.url })
    : next(specifier, context)
})

/** Runs this part's share of all test files. */
export async function together (part: string) {
  const files = filesOf(part)
  t.setTimeout(HANGS_MS * files.length)
  for (const file of files) {
    await t.test(file, { timeout: HANGS_MS }, async (t) => {
      current = t
      await import(pathToFileURL(path.join(TESTS, file)).href)
    })
  }
  // Once more at the end, where readers look first.
  for (const { fullname } of t.lists.fail) t.comment(`Red: ${fullname}`)
}
