import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { PDFIUM } from '../../src/reading/formats/pdf/pdfium.ts'
import { assetsIn, COMPRESSED, DRIVER, LICENSES } from '../../src/platform/process/assets.ts'
import { CONCEPTS } from '../../src/search/sense/lexicon.ts'
import { GERMAN_LISTS } from '../../src/search/words/word-list.ts'
import { DOCS_FILES } from '../../src/platform/http/docs.ts'
import { MANIFEST, WEB, type Manifest } from '../../src/platform/http/web/files.ts'
import { signAdHoc } from './macho.ts'
import { CACHE, nodePackage, type Platform } from './platforms.ts'
import { ROOT } from './root.ts'

/** Files of ours and of packages that are carried compressed. */
export const FILES = [...DOCS_FILES, PDFIUM, CONCEPTS, ...GERMAN_LISTS]

/** How start.cjs calls the program, and what V8 has made of it. */
const [PROGRAM, COMPILED] = ['main.cjs', 'main.cjs.compiled']

/** What goes into an executable beside Node. */
export interface Contents { code: Uint8Array, licenses: string }

/** Makes a platform's executable in the folder `to`. The same contents make the same bytes. */
export function makeExecutable (platform: Platform, { code, licenses }: Contents, to: string) {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(path.join(CACHE, 'stage-'))
  try {
    // Relative names: the executable remembers what its main module was called.
    copyFileSync(path.join(import.meta.dirname, 'start.cjs'), path.join(folder, 'start.cjs'))
    copyFileSync(path.join(nodePackage(platform), platform.node.binary), path.join(folder, 'node'))
    if (platform.name.startsWith('linux')) strip(path.join(folder, 'node'), platform)
    const compressed = compressedIn(folder, platform, { code, licenses })
    writeFileSync(path.join(folder, 'sea.json'), JSON.stringify(configuration(platform, compressed)))
    // Without a fixed seed the code cache differs from build to build.
    execFileSync(process.execPath, ['--random-seed=1', '--build-sea', 'sea.json'], {
      cwd: folder, stdio: ['ignore', 'ignore', 'inherit']
    })
    const output = readFileSync(path.join(folder, platform.output))
    writeFileSync(
      path.join(to, platform.output),
      platform.name.startsWith('darwin') ? signAdHoc(output, 'agenthall') : output,
      { mode: 0o755 }
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * What V8 makes of the program when it is loaded. In a process of its own, since it is of use only where V8 runs with
 * the same options.
 */
function compiled (code: Uint8Array): Buffer {
  // Without a fixed seed it differs from build to build.
  return execFileSync(process.execPath, ['--random-seed=1', '-e', COMPILE], { input: code, maxBuffer: 2 ** 26 })
}

const COMPILE = `
  const { Script } = require('node:vm')
  const program = new Script(require('node:fs').readFileSync(0).latin1Slice(), { filename: 'main.cjs' })
  process.stdout.write(program.createCachedData())`

/** What is large, compressed into a folder: under which name it is carried, and where. */
function compressedIn (
  folder: string, { name, driver }: Platform, { code, licenses }: Contents
): Record<string, string> {
  const large: Array<[name: string, bytes: Uint8Array]> = [
    [PROGRAM, code],
    // Compiled code serves only the kind of processor that compiled it.
    ...(name === `${process.platform}-${process.arch}` ? [[COMPILED, compiled(code)] satisfies [string, Buffer]] : []),
    ...FILES.map((file): [string, Buffer] => [file, readFileSync(path.join(ROOT, file))]),
    [DRIVER, readFileSync(path.join(ROOT, driver))],
    [LICENSES, Buffer.from(licenses)]
  ]
  return Object.fromEntries(large.map(([name, bytes]) => {
    const file = `${path.basename(name)}${COMPRESSED}`
    writeFileSync(
      path.join(folder, file), zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })
    )
    return [name + COMPRESSED, file]
  }))
}

function configuration (platform: Platform, compressed: Record<string, string>) {
  const inTree = [
    ...['schema/sqlite/migrations', 'schema/sqlite/migrations/first-0.3.0']
      .flatMap((folder) => assetsIn(folder)).filter((file) => file.endsWith('.sql')),
    ...webFiles()
  ]
  return {
    main: 'start.cjs',
    executable: 'node',
    output: platform.output,
    disableExperimentalSEAWarning: true,
    // Started with other options for V8, Node compiles the code anew, which is nothing to tell the user about.
    execArgv: ['--disable-warning=Warning'],
    assets: {
      ...Object.fromEntries(inTree.map((file) => [file, path.join(ROOT, file)])),
      ...compressed
    }
  }
}

/** What browsers load, as it was built a moment ago: what an earlier build left there stays out. */
function webFiles (): string[] {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, WEB, MANIFEST), 'utf8')) as Manifest
  return [MANIFEST, ...files.map((file) => `${file}.br`)].map((file) => `${WEB}/${file}`)
}

/** Takes out what only a debugger reads, before anything is put in: afterwards it would break the executable. */
function strip (file: string, { name }: Platform) {
  const tools = name === 'linux-arm64' ? ['aarch64-linux-gnu-strip', 'llvm-strip', 'strip'] : ['strip', 'llvm-strip']
  const done = tools.some((tool) => {
    try {
      execFileSync(tool, [file], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
  if (!done) console.log(`${name}: no ${tools.join(' or ')} here that can strip it, so it is some 30 MB larger`)
}
