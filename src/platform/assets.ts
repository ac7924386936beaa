import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const require = createRequire(import.meta.url)

/** A file that belongs to the program, read from the source tree. */
export function asset (name: string): Buffer {
  return readFileSync(name.startsWith('node_modules/') ? fromPackage(name) : path.join(root, name))
}

/** The names of the program's files below a folder of the source tree, in order. */
export function assetsIn (folder: string): string[] {
  return readdirSync(path.join(root, folder)).sort().map((name) => `${folder}/${name}`)
}

function fromPackage (name: string) {
  const local = path.join(root, name)
  return existsSync(local) ? local : require.resolve(name.slice('node_modules/'.length))
}

/** How the SQLite driver finds its native part; run from source it finds it by itself. */
export function nativeBinding (): { nativeBinding?: string } {
  return {}
}
