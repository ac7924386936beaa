import { hash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MANIFEST, WEB, type Manifest } from '../../src/platform/http/web/files.ts'
import { ROOT } from './root.ts'

/** What decides what browsers load: the source, how it is built, and the packages as they are installed. */
const FROM = ['src', 'schema', 'scripts/build', 'tsconfig.browser.json', 'node_modules/.package-lock.json']

const fileIn = (root: string) => path.join(root, `${WEB}.stamp`)

/** Stands for all of that as it is now: another text once a file has changed, was added or was removed. */
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

/** Whether what was built is all there, and was built from what has this stamp. */
export function isBuiltFrom (stamp: string, root = ROOT): boolean {
  const [written, manifest] = [fileIn(root), path.join(root, WEB, MANIFEST)]
  if (!existsSync(written) || !existsSync(manifest) || readFileSync(written, 'utf8') !== stamp) return false
  const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest
  return files.every((name) => existsSync(path.join(root, WEB, `${name}.br`)))
}

/** Notes what has been built, by the stamp from before it. */
export function noteBuilt (stamp: string, root = ROOT) {
  writeFileSync(fileIn(root), stamp)
}
