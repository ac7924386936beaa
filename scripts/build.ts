import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './build/bundle.ts'
import { buildClient } from './build/client.ts'
import { FILES, makeExecutable } from './build/executable.ts'
import { packagesOf } from './build/packages.ts'
import { licenses, sbom } from './build/papers.ts'
import { buildWeb } from './build/web.ts'
import { nodePackage, PLATFORMS, type Platform } from './build/platforms.ts'
import { ROOT } from './build/root.ts'

/**
 * Builds the executables for these platforms and the package of the typed client in the folder `to`, with licences,
 * bill of materials and checksums.
 */
export async function build (platforms: Platform[], to: string) {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const inBrowsers = await buildWeb()
  const { code, packages } = await bundle()
  const inside = [...new Set([...packages, ...packagesOf(FILES), ...inBrowsers])].sort()
  const text = licenses(nodePackage(platforms[0]!), inside)
  for (const platform of platforms) {
    makeExecutable(platform, { code, licenses: text }, to)
    console.log(`${platform.output}: ${(statSync(path.join(to, platform.output)).size / 1e6).toFixed(1)} MB`)
  }
  console.log(await buildClient(to))
  writeFileSync(path.join(to, 'THIRD-PARTY-LICENSES'), text)
  writeFileSync(path.join(to, 'agenthall.cdx.json'), sbom())
  writeFileSync(path.join(to, 'SHA256SUMS'), sums(to))
}

function sums (folder: string): string {
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(folder, name)))
          .digest('hex')}  ${name}\n`
    )
    .join('')
}

/** The one for this machine, or all. */
function chosen (all: boolean): Platform[] {
  const here = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const platforms = PLATFORMS.filter(({ name }) => all || name === here)
  if (platforms.length === 0) {
    throw new Error(
      `there is no executable for ${here}; "npm run build -- --all" makes ${PLATFORMS.map(({ name }) => name).join(', ')}`
    )
  }
  return platforms
}

if (import.meta.main) {
  const {
    values: { all, to }
  } = parseArgs({
    options: { all: { type: 'boolean', default: false }, to: { type: 'string', default: path.join(ROOT, 'dist') } }
  })
  await build(chosen(all), path.resolve(to))
}
