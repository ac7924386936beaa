import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { licensesCommand } from '../../../src/cli/operating/licenses.ts'
import {
  asset, assetsIn, COMPRESSED, DRIVER, LICENSES, nativeBinding, thirdPartyLicenses, type Executable
} from '../../../src/platform/process/assets.ts'
import { Refusal } from '../../../src/platform/errors.ts'
import { loadAddon, unpackNative } from '../../../src/platform/process/native.ts'

const DRIVER_HERE = path.resolve(
  import.meta.dirname, `../../../node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`
)

/** An executable that contains these files. */
function carrying (files: Record<string, string | Buffer>): Executable {
  return {
    isSea: () => true,
    getAssetKeys: () => Object.keys(files),
    getRawAsset: (name) => new Uint8Array(Buffer.from(files[name]!)).buffer
  }
}

t.test('run from source, the program\'s files come from the tree and from the packages', async (t) => {
  t.match(asset('schema/sqlite/migrations/0000_first-tables.sql').toString(), /CREATE TABLE/)
  t.match(asset('node_modules/@fastify/swagger-ui/static/swagger-ui.css').toString(), /\.swagger-ui/)
  t.match(asset('node_modules/tap/package.json').toString(), /"name": "tap"/, 'wherever the package is installed')
  t.ok(assetsIn('schema/sqlite/migrations').includes('schema/sqlite/migrations/0000_first-tables.sql'))
  t.same(nativeBinding(), {})
  t.equal(thirdPartyLicenses(), undefined)
})

t.test('packed, they come from inside the executable', async (t) => {
  const executable = carrying({ 'a/2.sql': 'two', 'a/1.sql': 'one', 'a/b/3.sql': 'three', [LICENSES + COMPRESSED]: brotliCompressSync('MIT') })
  t.equal(asset('a/1.sql', executable).toString(), 'one')
  t.same(assetsIn('a', executable), ['a/1.sql', 'a/2.sql'])
  t.equal(thirdPartyLicenses(executable), 'MIT', 'what is carried compressed too')
})

t.test('packed, the database driver is unpacked and loaded once', async (t) => {
  const folder = path.join(t.testdir({}), 'cache')
  const executable = carrying({ [DRIVER]: readFileSync(DRIVER_HERE) })
  const { nativeBinding: driver } = nativeBinding(executable, (content, name) =>
    loadAddon(content, name, { folders: [() => folder] })
  )
  t.match(driver, { Database: Function })
  t.match(readdirSync(folder), [/^[0-9a-f]{32}-better_sqlite3\.node$/])
  t.equal(nativeBinding(executable, () => t.fail('loaded again')).nativeBinding, driver)
})

t.test('a library is unpacked to a folder of this user alone, under its hash, and is used again', async (t) => {
  const folder = path.join(t.testdir({}), 'new', 'cache')
  const content = Buffer.from('library')
  const file = unpackNative(content, 'lib.node', folder)
  t.equal(path.basename(file), `${createHash('sha256').update(content).digest('hex').slice(0, 32)}-lib.node`)
  t.same(readFileSync(file), content)
  t.equal(lstatSync(folder).mode & 0o777, 0o700)
  t.equal(lstatSync(file).mode & 0o777, 0o700)
  const { ino } = lstatSync(file)
  t.equal(unpackNative(content, 'lib.node', folder), file)
  t.equal(lstatSync(file).ino, ino, 'it is not written again')
  t.not(unpackNative(Buffer.from('another'), 'lib.node', folder), file)
})

/** Puts something where the library is going to be; returns where, and what must not be touched. */
function plant (t: Test, put: (file: string, elsewhere: string) => void) {
  const folder = path.join(t.testdir({ elsewhere: 'theirs' }), 'cache')
  const elsewhere = path.join(t.testdirName, 'elsewhere')
  const content = Buffer.from('library')
  mkdirSync(folder, { mode: 0o700 })
  const file = path.join(folder, `${createHash('sha256').update(content).digest('hex').slice(0, 32)}-lib.node`)
  put(file, elsewhere)
  return { folder, content, elsewhere }
}

// Was wrong with `if (!existsSync(file)) replace(file, content)` in unpack(), with `holds()` comparing sizes only,
// without O_NOFOLLOW, and with isOursAlone() always true.
t.test('what somebody put in the library\'s place is never loaded', async (t) => {
  const planted: Record<string, (file: string, elsewhere: string) => void> = {
    'other bytes of the same length': (file) => writeFileSync(file, 'malware', { mode: 0o700 }),
    'half of it': (file) => writeFileSync(file, 'lib', { mode: 0o700 }),
    'a link to another file': (file, elsewhere) => symlinkSync(elsewhere, file),
    'a link to the same bytes, which could change later': (file, elsewhere) => {
      writeFileSync(elsewhere, 'library')
      chmodSync(elsewhere, 0o700)
      symlinkSync(elsewhere, file)
    },
    'the same bytes, which others may change later': (file) => {
      writeFileSync(file, 'library')
      chmodSync(file, 0o777)
    }
  }
  for (const [what, put] of Object.entries(planted)) {
    await t.test(what, async (t) => {
      const { folder, content, elsewhere } = plant(t, put)
      const before = readFileSync(elsewhere)
      loadAddon(content, 'lib.node', {
        folders: [() => folder],
        load: (file) => {
          t.ok(lstatSync(file).isFile())
          t.equal(lstatSync(file).mode & 0o777, 0o700)
          t.same(readFileSync(file), content)
        }
      })
      t.same(readFileSync(elsewhere), before, 'nothing was written through a link')
      t.equal(readdirSync(folder).length, 1, 'nothing is left over')
    })
  }
})

t.test('a folder that is not this user\'s alone is passed over for the next', async (t) => {
  const dir = t.testdir({ open: {}, mine: {}, file: '', last: {} })
  chmodSync(path.join(dir, 'open'), 0o777)
  chmodSync(path.join(dir, 'mine'), 0o700)
  symlinkSync('mine', path.join(dir, 'link'))
  const tried: string[] = []
  const folders = ['open', 'link', 'file', 'mine'].map((name) => () => {
    tried.push(name)
    return path.join(dir, name)
  })
  const loaded = loadAddon(Buffer.from('library'), 'lib.node', { folders, load: (file) => file })
  t.same(tried, ['open', 'link', 'file', 'mine'])
  t.match(loaded, path.join(dir, 'mine'))
  t.equal(readdirSync(path.join(dir, 'open')).length, 0)
})

t.test('when no folder will do, a sentence says what to do and why', async (t) => {
  const { folder, content } = plant(t, (file) => mkdirSync(path.join(file, 'full'), { recursive: true }))
  const folders = [() => folder, () => { throw new Error('no home') }]
  t.throws(() => loadAddon(content, 'lib.node', { folders }), {
    code: 'unavailable', message: /home or temporary directory.*no home/
  })
  t.equal(readdirSync(folder).length, 1, 'nothing is left over')
  t.throws(
    () => loadAddon(content, 'lib.node'), Refusal, 'what is not a library is not loaded from the usual places either'
  )
})

t.test('licenses prints those of everything inside, and from source says where they are', async (t) => {
  const printed: string[] = []
  const around = { env: {}, out: (text: string) => { printed.push(text) }, note: () => {} }
  await licensesCommand(around, () => 'MIT\n').parseAsync([], { from: 'user' })
  t.same(printed, ['MIT'])
  await t.rejects(licensesCommand(around).parseAsync([], { from: 'user' }), {
    code: 'not_found', message: /node_modules/
  })
})
