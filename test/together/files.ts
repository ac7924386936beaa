import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const TESTS = path.join(import.meta.dirname, '..')
const found = (pattern: string, cwd: string, exclude: string[] = []) =>
  globSync(pattern, { cwd, exclude }).map((file) => file.replaceAll(path.sep, '/')).sort()

/** The files that are a process each; one more is a copy of one of them. */
export const PARTS = found('part-*.ts', import.meta.dirname)

/** The test files named in `include` in package.json, which therefore run alone. */
export function alone (): string[] {
  const { tap: { include } } = JSON.parse(readFileSync(path.join(TESTS, '../package.json'), 'utf8'))
  return (include as string[])
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => file.slice('test/'.length))
}

/** The test files that a part runs, assigned round-robin, because slow tests tend to be neighbours. */
export function filesOf (part: string): string[] {
  return found('**/*.test.ts', TESTS, ['faults/**', 'fixtures/**', ...alone()])
    .filter((_, index) => PARTS[index % PARTS.length] === path.basename(part))
}
