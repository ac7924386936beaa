import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './root.ts'

/** The name in package.json under which a licence is found when a package includes no text of it. */
interface Manifest { name: string, version: string, license?: string, author?: string | { name: string } }

/**
 * The licences of everything in an executable: our own, Node's with all it contains, and those of the packages. One
 * project, that of the docs page, leaves them out of its package; they are stored next to this file.
 */
export function licenses (node: string, packages: string[]): string {
  const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
  return [
    section('Agenthall', read('LICENSE')),
    section('Node.js', readFileSync(path.join(node, 'LICENSE'), 'utf8')),
    section('Swagger UI', read('scripts/build/swagger-ui-licenses.txt')),
    ...packages.map(licenseOf)
  ].join('\n')
}

function licenseOf (folder: string): string {
  const { name, version, license, author } = JSON.parse(
    readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')
  ) as Manifest
  const texts = readdirSync(path.join(ROOT, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
  if (texts.length === 0 && !license) throw new Error(`${folder} does not say under which licence it is`)
  const by = typeof author === 'object' ? author.name : author ?? `the authors of ${name}`
  return section(
    `${name} ${version} (${license ?? 'see below'})`, texts.join('\n') || `Copyright ${by}. Licence: ${license}.`
  )
}

function section (title: string, text: string): string {
  return `${'='.repeat(100)}\n${title}\n${'='.repeat(100)}\n\n${text.trim()}\n`
}

/**
 * The program's bill of materials, as CycloneDX. npm's own list without what differs from run to run and from folder to
 * folder.
 */
export function sbom (): string {
  const { name, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const {
    serialNumber, metadata: { timestamp, tools, ...metadata }, ...rest
  } = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
      cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore']
    })
  )
  return (
    JSON.stringify(
      { ...rest, metadata: { ...metadata, component: { ...metadata.component, type: 'application', name, version } } },
      null,
      2
    ) + '\n'
  )
}
