import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { PDFIUM } from '../../src/reading/formats/pdf/pdfium.ts'
import { assetsIn, COMPRESSED, DRIVER, LICENSES } from '../../src/platform/process/assets.ts'
import { CONCEPTS } from '../../src/search/sense/lexicon.ts'
import { ORDINARY } from '../../src/search/sense/talk/ordinary.ts'
import { WORD_LISTS } from '../../src/search/words/word-list.ts'
import { DOCS_FILES } from '../../src/platform/http/docs.ts'
import { MANIFEST, WEB, type Manifest } from '../../src/platform/http/web/files.ts'
import { signAdHoc } from './macho.ts'
import { CACHE, nodePackage, type Platform } from './platforms.ts'
import { ROOT } from './root.ts'
import { V8_OPTIONS } from './v8-options.ts'

/** Files of ours and of packages that are embedded compressed. */
export const FILES = [...DOCS_FILES, PDFIUM, CONCEPTS, ORDINARY, ...WORD_LISTS]

/** The entry point that start.cjs calls, and its V8 code cache. */
const [PROGRAM, COMPILED] = ['main.cjs', 'main.cjs.compiled']

/** What goes into an executable besides Node. */
export interface Contents { code: Uint8Array, licenses: string }

/** Builds a platform's executable in the folder `to`. The same contents give the same bytes. */
export function makeExecutable (platform: Platform, { code, licenses }: Contents, to: string) {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(path.join(CACHE, 'stage-'))
  try {
    // Relative names: the executable stores the name of its main module.
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
 * V8's code cache of the program once loaded. In a separate process, since it is of use only where V8 runs with the
 * same options.
 */
function compiled (code: Uint8Array): Buffer {
  // Without a fixed seed it differs from build to build.
  return execFileSync(process.execPath, [...V8_OPTIONS, '--random-seed=1', '-e', COMPILE], { input: code, maxBuffer: 2 ** 26 })
}

const COMPILE = `
  const { Script } = require('node:vm')
  const program = new Script(require('node:fs').readFileSync(0).latin1Slice(), { filename: 'main.cjs' })
  process.stdout.write(program.createCachedData())`

/** Large files, compressed into a folder: under which name they are embedded, and where they are. */
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
  return Object.fromEntries(large.map(([name, bytes], at) => {
    // Numbered, as files of several packages have one name.
    const file = `${at}-${path.basename(name)}${COMPRESSED}`
    writeFileSync(path.join(folder, file), brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
    }))
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
    // Started with other V8 options, Node compiles the code again, which is nothing to tell the user about.
    execArgv: ['--disable-warning=Warning', ...V8_OPTIONS],
    assets: {
      ...Object.fromEntries(inTree.map((file) => [file, path.join(ROOT, file)])),
      ...compressed
    }
  }
}

/** What browsers load, as just built: leftovers of an earlier build stay out. */
function webFiles (): string[] {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, WEB, MANIFEST), 'utf8')) as Manifest
  return [MANIFEST, ...files.map((file) => `${file}.br`)].map((file) => `${WEB}/${file}`)
}

/** Strips what only a debugger reads, before anything is added: afterwards it would break the executable. */
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
