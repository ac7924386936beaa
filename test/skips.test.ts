import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

const CI = path.join(import.meta.dirname, '../.ci')

/** What the check of a change says about the log of a test run, and whether it passes. */
function skipped (log: string, reviewed?: string) {
  const directory = t.testdir({ log, reviewed: reviewed ?? readFileSync(path.join(CI, 'skips'), 'utf8') })
  const { status, stdout } = spawnSync(path.join(CI, 'skipped'), [path.join(directory, 'log')], {
    encoding: 'utf8', env: { ...process.env, SKIPS: path.join(directory, 'reviewed') }
  })
  return { passes: status === 0, names: stdout.split('\n').slice(1, -1) }
}

/** A test as tap prints it, and its reason for skipping it. */
const printed = (skip: string, name = 'a test') => spawnSync(process.execPath, [
  '--input-type=module', '-e', `(await import('tap')).default.test(${JSON.stringify(name)}, ${skip}, async () => {})`
], { encoding: 'utf8', cwd: path.join(CI, '..') }).stdout

t.test('a test that is skipped fails the check, whatever its reason, unless the reason was reviewed', async (t) => {
  // Was wrong with what the check looked for before: "is missing" and "not installed".
  const unmounted = printed("{ skip: 'no disk of its own can be mounted here: mount: not permitted' }")
  for (const log of [unmounted, printed('{ skip: true }'), printed("{ todo: 'later' }")]) {
    t.match(skipped(`ok 1 - another\n${log}`), { passes: false, names: { length: 1 } }, log)
  }
  t.match(skipped(`    ${unmounted}`), { passes: false }, 'a test within a test')
  t.same(skipped(unmounted, '# Why it may be.\nno disk of its own\n'), { passes: true, names: [] })
  t.match(skipped(unmounted, '# no disk of its own\n\nanother reason\n'), { passes: false }, 'a comment allows nothing')
})

t.test('tests that ran pass the check, whatever they are called', async (t) => {
  t.same(skipped('# Subtest: x\n    # SKIP said in a comment\nok 1 - what is skipped # time=3ms\n'), {
    passes: true, names: []
  })
  t.same(skipped(printed('{}', 'a test # SKIP that is called so')), { passes: true, names: [] })
})

t.test('every reviewed skip stands behind a line that says why', async (t) => {
  const lines = readFileSync(path.join(CI, 'skips'), 'utf8').split('\n')
  t.same(lines.filter((line, index) => line && !line.startsWith('#') && !lines[index - 1]?.startsWith('#')), [])
  t.match(readFileSync(path.join(CI, 'run'), 'utf8'), /^\.ci\/skipped "\$log"/m)
})
