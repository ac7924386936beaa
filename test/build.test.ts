import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { signAdHoc } from '../scripts/build/macho.ts'

const LIBRARY = path.resolve(import.meta.dirname, '../node_modules/better-sqlite3/prebuilds/darwin-arm64.node')

/** Offsets of the load commands with this number in a Mach-O file. */
function signatureCommand (file: Buffer) {
  let at = 32
  while (file.readUInt32LE(at) !== 0x1d) at += file.readUInt32LE(at + 4)
  return { at, offset: file.readUInt32LE(at + 8) }
}

t.test('a library for Apple silicon gets the signature that Apple\'s linker gave it', async (t) => {
  const file = readFileSync(LIBRARY)
  const { offset } = signatureCommand(file)
  const signed = signAdHoc(file, 'better_sqlite3.node')
  // The linker gives the extent of the code itself, we that of its segment, like codesign.
  for (const one of [file, signed]) one.fill(0, offset + 20 + 72, offset + 20 + 80)
  t.ok(signed.equals(file))
})

t.test('a file whose signature was taken out gets a place for one again', async (t) => {
  const file = readFileSync(LIBRARY)
  const { at, offset } = signatureCommand(file)
  const expected = signAdHoc(file, 'lib')
  t.equal(at + 16, 32 + file.readUInt32LE(20), 'its command is the last one')
  const without = Buffer.from(file.subarray(0, offset))
  without.writeUInt32LE(without.readUInt32LE(16) - 1, 16)
  without.writeUInt32LE(without.readUInt32LE(20) - 16, 20)
  without.fill(0, at, at + 16)
  t.ok(signAdHoc(without, 'lib').equals(expected))
})

t.test('what cannot be signed is refused', async (t) => {
  t.throws(() => signAdHoc(Buffer.alloc(64), 'x'), /not a 64-bit Mach-O/)
  const full = Buffer.alloc(256)
  full.writeUInt32LE(0xfeedfacf, 0)
  full.writeUInt32LE(1, 16)
  full.writeUInt32LE(0x19, 32)
  full.writeUInt32LE(152, 36)
  full.write('__TEXT', 40)
  full.writeUInt32LE(190, 32 + 72 + 48)
  t.throws(() => signAdHoc(full, 'x'), /no place/)
})

// Planted faults: the version of an older program; a second section of the same version.
t.test('no two programs call themselves by one version: what is worked on has the next one after the last release', async (t) => {
  const read = (name: string) => readFileSync(path.join(import.meta.dirname, '..', name), 'utf8')
  const { version } = JSON.parse(read('package.json'))
  const headings = [...read('CHANGELOG.md').matchAll(/^## (\d+)\.(\d+)\.(\d+)(.*)$/gm)]
  const versions = headings.map(([, ...parts]) => parts.slice(0, 3).map(Number))
  t.equal(version, versions[0]!.join('.'), 'package.json says what the newest section of the changelog does')
  const lock = JSON.parse(read('package-lock.json'))
  t.strictSame([lock.version, lock.packages[''].version], [version, version], 'and so does package-lock.json')
  const height = ([major, minor, patch]: number[]) => major! * 1e6 + minor! * 1e3 + patch!
  for (const [i, one] of versions.slice(1).entries()) t.ok(height(versions[i]!) > height(one), one.join('.'))
  const unreleased = headings.filter(([line]) => line.includes('unreleased'))
  t.ok(unreleased.every((one) => one === headings[0]), 'only the newest is not released yet')
})

/** What has changed of the program since the commit that released the version it calls itself by; of none: nothing. */
function changedSinceRelease (directory: string): string[] {
  const [newest] = /^## .*$/m.exec(readFileSync(path.join(directory, 'CHANGELOG.md'), 'utf8'))!
  if (newest.includes('unreleased') || !existsSync(path.join(directory, '.git'))) return []
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).split('\n').filter(Boolean)
  const [released] = git('log', '--reverse', '--format=%H', `-S${newest}`, '--', 'CHANGELOG.md')
  return released === undefined ? [] : git('diff', '--name-only', released, '--', 'src', 'schema', 'package-lock.json')
}

// Was wrong: after 0.4.0 was released, 16 other programs were called 0.4.0 as well.
t.test('once a version is released nothing of the program changes before the next one is begun', async (t) => {
  t.strictSame(changedSinceRelease(path.join(import.meta.dirname, '..')), [])
  const directory = t.testdir({ src: { 'main.ts': 'one' }, 'README.md': 'one', 'CHANGELOG.md': '## 1.1.0 (unreleased)\n' })
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@shop.example']
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: directory })
  const write = (file: string, text: string) => writeFileSync(path.join(directory, file), text)
  const commit = () => { git('add', '.'); git('commit', '-qm', 'More') }
  git('init', '-q')
  commit()
  write('src/main.ts', 'two')
  commit()
  t.strictSame(changedSinceRelease(directory), [], 'nothing is released')
  write('CHANGELOG.md', '## 1.1.0 – 2026-12-01\n')
  commit()
  write('README.md', 'two')
  commit()
  t.strictSame(changedSinceRelease(directory), [], 'what is read of it is no program')
  write('src/main.ts', 'three')
  t.strictSame(changedSinceRelease(directory), ['src/main.ts'], 'not committed yet')
  commit()
  t.strictSame(changedSinceRelease(directory), ['src/main.ts'])
  write('CHANGELOG.md', '## 1.2.0 (unreleased)\n\n## 1.1.0 – 2026-12-01\n')
  t.strictSame(changedSinceRelease(directory), [])
})
