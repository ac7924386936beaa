import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { STATED } from './stated.ts'

const SRC = path.join(import.meta.dirname, '../../src')

/** The texts of files. */
const textsOf = (pattern: string, cwd: string) =>
  globSync(pattern, { cwd }).map((file) => readFileSync(path.join(cwd, file), 'utf8'))

t.test('what a store promises is stated of every store, for whichever database', async (t) => {
  const found = textsOf('**/*.ts', SRC).flatMap((text) =>
    [...text.matchAll(/^(?:export )?interface (\w+Store)\b/gm)].map(([, name]) => name!))
  t.ok(found.length > 30)
  t.strictSame(found.sort(), Object.keys(STATED).sort(), 'each stands in test/stores/stated.ts')
})

t.test('where it is said to be stated there is a test', async (t) => {
  const suite = [...textsOf('*.ts', import.meta.dirname), ...textsOf('stores.ts', path.dirname(import.meta.dirname))]
  const titles = suite.flatMap((text) => [...text.matchAll(/t\.test\(\s*'([^:']+:)/g)].map(([, title]) => title))
  for (const [store, title] of Object.entries(STATED)) t.ok(titles.includes(title), `${store}: “${title} …”`)
})
