import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

// npm run test:faults -- [--cycles N] [part of a file's name …] The long tests: kills, power loss, full disks. Two
// files at a time, since much of it is waiting; how long each file took is printed at the end.

const { values, positionals } = parseArgs({ options: { cycles: { type: 'string' } }, allowPositionals: true })
const isAsked = (file: string) => positionals.length === 0 || positionals.some((part) => file.includes(part))
const files = globSync('test/faults/**/*.test.ts').sort().filter(isAsked)
const tap = spawn(
  'tap',
  [
    '--disable-coverage',
    '--jobs=2',
    `--timeout=${values.cycles ? 14_400 : 1800}`,
    '--reporter=tap',
    ...files,
    ...(values.cycles ? [`--test-arg=--cycles=${values.cycles}`] : [])
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] }
)
const ended = once(tap, 'close')

const took: string[] = []
for await (const line of createInterface({ input: tap.stdout })) {
  console.log(line)
  const [, result, file, ms] = /^(ok|not ok) \d+ - (\S+) # time=([\d.]+)ms/.exec(line) ?? []
  if (file) took.push(`# ${(Number(ms) / 1000).toFixed().padStart(4)} s  ${file}${result === 'ok' ? '' : ', failed'}`)
}
console.log(took.join('\n'))
const [code] = await ended
process.exitCode = code ?? 1
