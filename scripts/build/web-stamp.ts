import { hash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MANIFEST, WEB, type Manifest } from '../../src/platform/http/web/files.ts'
import { ROOT } from './root.ts'

/** The inputs of the browser bundles: the source, how it is built, and the packages as installed. */
const FROM = ['src', 'schema', 'scripts/build', 'tsconfig.browser.json', 'node_modules/.package-lock.json']

const fileIn = (root: string) => path.join(root, `${WEB}.stamp`)

/** A stamp of all of that: it changes once a file is changed, added or removed. */
export function stampOf (root = ROOT): string {
  const names = FROM.flatMap((from) => {
    const place = path.join(root, from)
    if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [from]
    return [from, ...readdirSync(place, { recursive: true }).map((name) => path.join(from, String(name))).sort()]
  })
  const lines = names.map((name) => {
    const { size, mtimeMs } = statSync(path.join(root, name), { throwIfNoEntry: false }) ?? {}
    return `${name} ${size} ${mtimeMs}`
  })
  return hash('sha256', lines.join('\n'))
}

/** Whether the build is complete, and was made from inputs with this stamp. */
export function isBuiltFrom (stamp: string, root = ROOT): boolean {
  const [written, manifest] = [fileIn(root), path.join(root, WEB, MANIFEST)]
  if (!existsSync(written) || !existsSync(manifest) || readFileSync(written, 'utf8') !== stamp) return false
  const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest
  return files.every((name) => existsSync(path.join(root, WEB, `${name}.br`)))
}

/** Records what has been built, with the stamp from before the build. */
export function noteBuilt (stamp: string, root = ROOT) {
  writeFileSync(fileIn(root), stamp)
}
