import { isBuiltFrom, noteBuilt, stampOf } from './build/web-stamp.ts'

// Builds what browsers load: before the tests, before the server starts from source (package.json loads this first
// then), and on its own: `npm run web`. Other commands of the program serve nothing and do not need it.
const [, program = '', command = 'serve'] = process.argv
const isProgram = program.endsWith('main.ts')

if (!isProgram || command === 'serve' || command.startsWith('-')) {
  const stamp = stampOf()
  // The builder would take 9 MB of the server's memory for as long as it runs.
  if (!isProgram || !isBuiltFrom(stamp)) {
    try {
      const { buildWeb } = await import('./build/web.ts')
      await buildWeb()
      noteBuilt(stamp)
    } catch (error) {
      // Installed without the builder: then the last build is served.
      if (!isProgram || (error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    }
  }
}
