// Makes what browsers load, before the tests, before the server starts from source (package.json loads this first
// then), and by itself: `npm run web`. Other commands of the program serve nothing and need none of it.
const [, program = '', command = 'serve'] = process.argv
const isProgram = program.endsWith('main.ts')

if (!isProgram || command === 'serve' || command.startsWith('-')) {
  try {
    const { buildWeb } = await import('./build/web.ts')
    await buildWeb()
  } catch (error) {
    // Installed without what builds it: then what was built before is served.
    if (!isProgram || (error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
  }
}

export {}
