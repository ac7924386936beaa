import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'

// npm run test:faults -- [--cycles N] [part of a file's name …]
// The long tests: kills, power loss, full disks. One after another, since several of them measure how long things take.

const { values, positionals } = parseArgs({ options: { cycles: { type: 'string' } }, allowPositionals: true })
const files = globSync('test/faults/*.test.ts').sort().filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
const { status } = spawnSync('tap', [
  '--disable-coverage', '--jobs=1', `--timeout=${values.cycles ? 14_400 : 900}`, '--reporter=tap', ...files, ...(values.cycles ? [`--test-arg=--cycles=${values.cycles}`] : [])
], { stdio: 'inherit' })
process.exitCode = status ?? 1
