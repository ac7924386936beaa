import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import * as sea from 'node:sea'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { loadAddon } from './native.ts'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** What the program needs of the executable it may be packed in: `node:sea`, or a test's own. */
export type Executable = Pick<typeof sea, 'isSea' | 'getAssetKeys' | 'getRawAsset'>

/** Asset name of the SQLite driver's native part in an executable. */
export const DRIVER = 'native/better_sqlite3.node'

/** Name suffix of assets that an executable contains compressed. */
export const COMPRESSED = '.br'

/** Asset name of the licences of everything inside an executable. */
export const LICENSES = 'THIRD-PARTY-LICENSES'

/**
 * A file that belongs to the program, by its path in the source tree: read from there, or from the executable when
 * packed.
 */
export function asset (name: string, executable: Executable = sea): Buffer {
  if (executable.isSea()) {
    const compressed = name + COMPRESSED
    return executable.getAssetKeys().includes(compressed)
      ? brotliDecompressSync(new Uint8Array(executable.getRawAsset(compressed)))
      : Buffer.from(executable.getRawAsset(name))
  }
  return readFileSync(name.startsWith('node_modules/') ? fromPackage(name) : path.join(root, name))
}

/** The names of the program's files in a folder of the source tree, in order. */
export function assetsIn (folder: string, executable: Executable = sea): string[] {
  const names = executable.isSea()
    ? executable.getAssetKeys().filter((key) => path.posix.dirname(key) === folder)
    : readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`)
  return names.sort()
}

function fromPackage (name: string) {
  const local = path.join(root, name)
  return existsSync(local) ? local : createRequire(import.meta.url).resolve(name.slice('node_modules/'.length))
}

let driver: unknown

/**
 * How the SQLite driver finds its native part: on its own when run from source, unpacked from the executable when
 * packed.
 */
export function nativeBinding (
  executable: Executable = sea, load: typeof loadAddon = loadAddon
): { nativeBinding?: string } {
  if (!executable.isSea()) return {}
  driver ??= load(asset(DRIVER, executable), path.posix.basename(DRIVER))
  // The driver accepts the loaded addon too, which is missing from its types.
  return { nativeBinding: driver as string }
}

/**
 * The licences of everything in the executable; undefined when run from source, where each is in its package's folder.
 */
export function thirdPartyLicenses (executable: Executable = sea): string | undefined {
  return executable.isSea() ? asset(LICENSES, executable).toString() : undefined
}
