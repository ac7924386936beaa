// Bootstrap of an executable. It contains the program compressed, and its V8 code cache where it was built for the kind
// of processor that built it.
const { getAssetKeys, getRawAsset } = require('node:sea')
const { pathToFileURL } = require('node:url')
const { constants, Script } = require('node:vm')
const { brotliDecompressSync } = require('node:zlib')

const [PROGRAM, COMPILED] = ['main.cjs.br', 'main.cjs.compiled.br']

const unpacked = (name) => brotliDecompressSync(new Uint8Array(getRawAsset(name)))

const program = new Script(unpacked(PROGRAM).latin1Slice(), {
  filename: 'main.cjs',
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(getAssetKeys().includes(COMPILED) && { cachedData: unpacked(COMPILED) })
})
const module_ = { exports: {} }
program.runInThisContext()(pathToFileURL(process.execPath).href, module_, module_.exports)
