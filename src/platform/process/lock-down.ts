import { registerHooks } from 'node:module'

/** The parts of Node that parsers of files use. Access to files is blocked by the permission model. */
const ALLOWED = new Set([
  'assert', 'async_hooks', 'buffer', 'console', 'constants', 'crypto', 'events', 'fs', 'fs/promises', 'net', 'os',
  'path', 'path/posix', 'perf_hooks', 'process', 'punycode', 'querystring', 'stream', 'stream/consumers',
  'stream/promises', 'stream/web', 'string_decoder', 'timers', 'timers/promises', 'url', 'util', 'util/types', 'zlib'
])
const THEIRS = /\/node_modules\/(?:fflate|worker-f|@embedpdf\/pdfium)\//
/** Ways around the modules: to load native code, to signal others, to replace the program. */
const REFUSED = [
  'binding', '_linkedBinding', 'dlopen', 'kill', '_kill', '_debugProcess', '_debugEnd', 'execve'
] as const

/* c8 ignore start -- cannot be undone in the process that runs it, so only children do: lock-down.test.ts. */
/**
 * In the sandbox's child, before untrusted bytes are parsed: removes what no parser needs and what bypasses the
 * permission model, namely workers, databases, other processes, and Node's internals. Permanent: nothing in this
 * process can undo it.
 */
export function lockDown () {
  const { getBuiltinModule } = process
  fixed('getBuiltinModule', (name: string) => ALLOWED.has(plain(name)) ? getBuiltinModule(name) : refuse(name))
  for (const name of REFUSED) fixed(name, () => refuse(`process.${name}`))
  fixed('mainModule', undefined)
  registerHooks({
    resolve (specifier, context, next) {
      const found = next(specifier, context)
      // Some parsers load these at import, in a separate scope, and do without workers.
      const isTheirs = /^node:(?:module|worker_threads)$/.test(found.url) && THEIRS.test(context.parentURL ?? '')
      if (found.url.startsWith('node:') && !ALLOWED.has(plain(found.url)) && !isTheirs) refuse(found.url)
      return found
    }
  })
}

function plain (name: string): string {
  return name.replace(/^node:/, '')
}

function fixed (name: string, value: unknown) {
  Object.defineProperty(process, name, { value, writable: false, configurable: false })
}

function refuse (what: string): never {
  throw Object.assign(new Error(`${what} is not available to the process that reads strangers' files.`), { code: 'ERR_ACCESS_DENIED' })
}
/* c8 ignore stop */
