import './check-node.cjs'
import { run } from './cli/index.ts'
import { runUntilTold } from './server.ts'

const { exitCode, server } = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text + '\n'),
  note: (text) => process.stderr.write(text + '\n')
})
if (server) runUntilTold(server)
else process.exitCode = exitCode
