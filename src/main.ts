import './check-node.cjs'
import { run } from './cli/index.ts'

const { exitCode, server } = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text + '\n'),
  note: (text) => process.stderr.write(text + '\n'),
  ...(process.stderr.isTTY && { progress: (text: string) => process.stderr.write(`\r\x1b[K${text}`) })
})
if (!server) process.exitCode = exitCode
