import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from './root.ts'

/**
 * The package of the typed client: its sources are in src/client, what is generated from openapi.json in build/client.
 */
const SOURCE = path.join(ROOT, 'src/client')
const MADE = path.join(ROOT, 'build/client')
const TYPES = path.join(MADE, 'openapi.d.ts')
const DOCUMENT = path.join(MADE, 'document.js')
const PACKAGE = path.join(MADE, 'package')
const DECLARED = ['version: string', 'openapiHash: string', 'patched: readonly string[]']
  .map((one) => `export declare const ${one}\n`).join('')

/**
 * Generates from openapi.json what the client's sources import in the folder `to`, unless it is there. Resolves with
 * its SHA-256.
 */
export async function readDocument (to = MADE): Promise<string> {
  const [types, values] = [path.join(to, 'openapi.d.ts'), path.join(to, 'document.js')]
  const text = readFileSync(path.join(ROOT, 'openapi.json'), 'utf8')
  const openapiHash = createHash('sha256').update(text).digest('hex')
  const first = `// Of Agenthall ${manifest.version}, from openapi.json ${openapiHash}\n`
  const isMade = existsSync(values) && existsSync(types) && readFileSync(values, 'utf8').startsWith(first)
  if (!isMade) {
    const { default: openapiTypes, astToString } = await import('openapi-typescript')
    const document = JSON.parse(text) as { paths: Record<string, object> }
    const patched = Object.entries(document.paths).flatMap(([name, item]) => 'patch' in item ? [name] : [])
    const said = { version: manifest.version, openapiHash, patched }
    mkdirSync(to, { recursive: true })
    replace(types, first + astToString(await openapiTypes(document as never)))
    const lines = Object.entries(said).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
    replace(values.replace(/js$/, 'd.ts'), DECLARED)
    replace(values, first + lines.join(''))
  }
  return openapiHash
}

/** Several tests may make it at a time. */
function replace (file: string, text: string) {
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, text)
  renameSync(fresh, file)
}

/** The client as one module; or as a script that assigns it to a variable. */
export async function bundleClient (variable?: string): Promise<string> {
  await readDocument()
  const { outputFiles: [file] } = await build({
    entryPoints: [path.join(SOURCE, 'index.ts')],
    bundle: true,
    write: false,
    ...(variable === undefined ? { format: 'esm' } : { format: 'iife', globalName: variable }),
    platform: 'neutral',
    target: 'es2022',
    minify: true
  })
  return file!.text
}

/** Builds `agenthall-client-<version>.tgz` in the folder `to`; returns its name. */
export async function buildClient (to: string): Promise<string> {
  rmSync(PACKAGE, { recursive: true, force: true })
  mkdirSync(PACKAGE, { recursive: true })
  writeFileSync(path.join(PACKAGE, 'index.js'), await bundleClient())
  declare()
  cpSync(path.join(SOURCE, 'README.md'), path.join(PACKAGE, 'README.md'))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(PACKAGE, 'LICENSE'))
  writeFileSync(path.join(PACKAGE, 'package.json'), `${JSON.stringify({
    name: '@agenthall/client',
    version: manifest.version,
    description: 'A typed client of Agenthall: agents, knowledge, conversations, and answers as they are written',
    license: manifest.license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    engines: { node: '>=20' }
  }, null, 2)}\n`)
  mkdirSync(to, { recursive: true })
  run('npm', ['pack', PACKAGE, '--pack-destination', to, '--silent'])
  return `agenthall-client-${manifest.version}.tgz`
}

/** Writes its type declarations: a file next to each source. */
function declare () {
  const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
  run(process.execPath, [compiler, '--project', path.join(ROOT, 'tsconfig.client.json'), '--outDir', PACKAGE])
  for (const file of globSync('**/*.d.ts', { cwd: PACKAGE })) {
    const text = readFileSync(path.join(PACKAGE, file), 'utf8')
    writeFileSync(path.join(PACKAGE, file), text
      .replaceAll('../../build/client/openapi.d.ts', './openapi.d.ts')
      .replaceAll('../../build/client/document.js', './document.js')
      .replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"))
  }
  cpSync(TYPES, path.join(PACKAGE, 'openapi.d.ts'))
  cpSync(DOCUMENT.replace(/js$/, 'd.ts'), path.join(PACKAGE, 'document.d.ts'))
}

function run (command: string, args: string[]) {
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stdout + stderr}`)
}

if (import.meta.main) await readDocument()
