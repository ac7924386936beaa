import './check-node.cjs'

// Not awaited here: the bundle that executables carry is no module.
begin()

/** A child in the sandbox is this same program; it loads nothing but what reads files. */
async function begin () {
  const [,, command] = process.argv
  if (command === '__extract') await (await import('./reading/child.ts')).runExtractChild()
  else if (command === '__import') await (await import('./imports/child.ts')).runImportChild()
  else if (command === '__config') await (await import('./config-as-code/files/child.ts')).runConfigChild()
  else if (command === '__openapi') await (await import('./actions/importing/child.ts')).runOpenapiChild()
  else await main()
}

async function main () {
  process.stdout.on('error', unread)
  process.stderr.on('error', unread)
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

/**
 * Printing failed. Readers of a command's output may stop early, as "head -1" does: then nobody is left to print for. A
 * server has other clients than that reader, and carries on.
 */
function unread (error: NodeJS.ErrnoException) {
  if (process.argv[2] === 'serve') return
  if (error.code !== 'EPIPE') throw error
  process.exit()
}
