import { isBuiltin } from 'node:module'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { packagesOf } from './packages.ts'
import { ROOT } from './root.ts'

/** The whole program as the text of one function, see start.cjs, and the folders of the packages in it. */
export interface Bundle { code: Uint8Array, packages: string[] }

// Packages require modules that they can do without. Inside the executable only Node's own exist, and nothing that
// happens to be next to the executable may be loaded. Some file readers require two of them when they are loaded, and
// do without workers: that is after their child was locked down, see src/platform/process/lock-down.ts.
const REQUIRE = `const takenEarly = { module: process.getBuiltinModule('module'), worker_threads: process.getBuiltinModule('worker_threads') }
const require = (name) => {
  const builtin = takenEarly[name.replace('node:', '')] ?? process.getBuiltinModule(name)
  if (builtin) return builtin
  throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' })
}`

/** zod includes its messages in sixty languages, 0.3 MB; nobody reads them. */
const inEnglishOnly: Plugin = {
  name: 'in-english-only',
  setup ({ onResolve }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path: file, resolveDir }) =>
      resolveDir.includes(`${path.sep}zod${path.sep}`)
        ? { path: path.join(resolveDir, path.dirname(file), 'en.js') }
        : undefined
    )
  }
}

/** Bundles the program. Names are kept for readable stack traces; import() stays lazy. */
export async function bundle (): Promise<Bundle> {
  const { outputFiles, metafile, warnings } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts'],
    outfile: 'main.cjs',
    bundle: true,
    platform: 'node',
    // start.cjs can run this with V8's code cache; modules it cannot.
    format: 'cjs',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Only src/main.ts is run; no module in it is ever started on its own.
    define: {
      'import.meta.main': 'false',
      'import.meta.url': 'programUrl',
      // undici omits its second parser, which is off by default, where it finds this name.
      esbuildDetection: 'true'
    },
    alias: {
      // The browser build needs nothing of Node, which the child that runs it may lack.
      '@embedpdf/pdfium': './node_modules/@embedpdf/pdfium/dist/index.browser.js',
      undici: './scripts/build/undici.cjs'
    },
    plugins: [inEnglishOnly],
    banner: { js: `(function (programUrl, module, exports) {\n'use strict'\n${REQUIRE}` },
    footer: { js: '})' },
    metafile: true,
    write: false,
    logLevel: 'warning'
  })
  if (warnings.length) throw new Error('the bundle has warnings')
  const [output] = Object.values(metafile.outputs)
  const missing = output!.imports.filter(({ path, kind }) => kind === 'import-statement' && !isBuiltin(path))
  if (missing.length) throw new Error(`not in the bundle: ${missing.map(({ path }) => path).join(', ')}`)
  const used = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file)
  return { code: outputFiles[0]!.contents, packages: packagesOf(used) }
}
