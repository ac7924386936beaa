import './check-node.cjs'

// The sandbox's child is this same program; it loads nothing but what reads files.
if (process.argv[2] === '__extract') await (await import('./reading/child.ts')).runExtractChild()
else await main()

async function main () {
  // Whoever reads the answer may stop early, as "head -1" does: then nobody is left to tell.
  process.stdout.on('error', endQuietly)
  process.stderr.on('error', endQuietly)
  const { run } = await import('./cli/index.ts')
  const { exitCode, server } = await run(process.argv.slice(2), {
    env: process.env,
    out: (text) => process.stdout.write(text + '\n'),
    write: (text) => process.stdout.write(text),
    input: process.stdin,
    host: process,
    note: (text) => process.stderr.write(text + '\n'),
    ...(process.stderr.isTTY && { progress: (text: string) => process.stderr.write(`\r\x1b[K${text}`) })
  })
  if (!server) {
    process.exitCode = exitCode
    return
  }
  const { giveBackOnceIdle } = await import('./platform/process/give-back.ts')
  giveBackOnceIdle()
}

function endQuietly (error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}
