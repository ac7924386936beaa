import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { constants } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { fileRefusal, makeDirectory, whyNot } from '../../src/platform/paths.ts'
import { notAllowed } from '../../src/platform/storage/sqlite/connect.ts'
import { takeLock } from '../../src/platform/storage/sqlite/disk/lock.ts'
import BetterSqlite3 from 'better-sqlite3'

const me = `The user of this process (${process.getuid?.()})`

t.test('why a file cannot be used is told with its path and the permission that is missing', async (t) => {
  const directory = t.testdir({ file: 'x', folder: {} })
  const file = path.join(directory, 'file')
  const without = (denied: string, mode: number) => (name: string, wanted: number) =>
    !(name === denied && wanted === mode)
  t.equal(whyNot(file, 'write'), undefined)
  t.equal(whyNot(path.join(directory, 'new'), 'write'), undefined)
  t.equal(whyNot(path.join(directory, 'new'), 'read'), `There is nothing at ${directory}/new.`)
  t.equal(whyNot(path.join(directory, 'no/new'), 'write'), `There is no directory ${directory}/no.`)
  t.equal(whyNot(path.join(file, 'new'), 'write'), `${file} is not a directory.`)
  t.equal(
    whyNot(file, 'read', without(directory, constants.X_OK)),
    `${me} may not enter the directory ${directory}: give it the permission to (x).`
  )
  t.equal(
    whyNot(file, 'read', without(file, constants.R_OK)), `${me} may not read ${file}: give it the permission to (r).`
  )
  t.equal(
    whyNot(file, 'write', without(file, constants.W_OK)),
    `${me} may not write to ${file}: give it the permission to (w).`
  )
  t.equal(
    whyNot(path.join(directory, 'new'), 'write', without(directory, constants.W_OK)),
    `${me} may not make files in the directory ${directory}: give it the permission to write there (w).`
  )
})

t.test(
  'a directory is made with those above it, and where that cannot be, a sentence comes back at once',
  async (t) => {
    const directory = t.testdir({ file: 'x' })
    const deep = path.join(directory, 'a/b/c')
    makeDirectory(deep)
    makeDirectory(deep)
    t.equal(statSync(deep).mode & 0o777, 0o700)
    t.throws(() => makeDirectory(path.join(directory, 'file')), {
      code: 'conflict',
      message: `The directory ${directory}/file cannot be made. ${directory}/file is not a directory.`
    })
    t.throws(() => makeDirectory('/dev/null/data'), {
      code: 'conflict', message: 'The directory /dev/null/data cannot be made. /dev/null is not a directory.'
    })
    symlinkSync('loop', path.join(directory, 'loop'))
    t.throws(() => makeDirectory(path.join(directory, 'loop/data')), { code: 'conflict', message: /cannot be made/ })
  }
)

t.test('under /proc nothing hangs', { skip: process.platform !== 'linux' && 'there is none' }, async (t) => {
  t.throws(() => makeDirectory('/proc/agenthall'), {
    code: 'conflict', message: /^The directory \/proc\/agenthall cannot be made\. /
  })
  t.throws(() => takeLock('/proc'), { code: 'conflict', message: /^The data directory \/proc cannot be used\. / })
  t.throws(() => takeLock('/proc/1'), { code: 'conflict', message: /^The data directory \/proc\/1 cannot be used\. / })
})

t.test(
  'a pipe in the place of the lock is not waited for',
  { skip: process.platform === 'win32' && 'it has none in the file system' },
  async (t) => {
    const directory = t.testdir({})
    spawnSync('mkfifo', [path.join(directory, 'agenthall.lock')])
    t.throws(() => takeLock(directory), {
      code: 'conflict', message: /agenthall\.lock is not the lock that Agenthall makes there/
    })
  }
)

t.test('what the system says about a file becomes a sentence; what is about none stays what it is', async (t) => {
  const directory = t.testdir({ file: 'x' })
  const file = path.join(directory, 'file')
  const error = (code: string, more = {}) =>
    Object.assign(new Error('inside'), { code, syscall: 'open', path: file, ...more })
  t.match(fileRefusal(error('EROFS')), {
    code: 'conflict', message: `${file} cannot be used. The file system is mounted read-only.`
  })
  t.match(fileRefusal(error('EIO', { syscall: 'write' })), {
    message: `${file} cannot be used. The system refuses it (EIO). Choose another place.`
  })
  t.match(fileRefusal(error('ENOENT', { syscall: 'copyfile', dest: path.join(directory, 'no/file') })), {
    message: `${directory}/no/file cannot be used. There is no directory ${directory}/no.`
  })
  t.equal(fileRefusal(new Error('inside')), undefined)
  t.equal(fileRefusal(Object.assign(new Error('inside'), { code: 'ECONNRESET' })), undefined)
})

t.test('a data file that this user may not open is named with what is missing', async (t) => {
  const directory = t.testdir({ folder: {} })
  mkdirSync(path.join(directory, 'folder/deep'))
  writeFileSync(path.join(directory, 'file'), '')
  const denied = new BetterSqlite3.SqliteError('inside', 'SQLITE_CANTOPEN')
  t.match(notAllowed(path.join(directory, 'file/agenthall.db'), denied), {
    code: 'conflict', message: /agenthall\.db cannot be opened\. .*file is not a directory\./
  })
  t.match(notAllowed(path.join(directory, 'none'), denied, { readonly: true }), { message: /There is nothing at / })
  t.equal(notAllowed(path.join(directory, 'file'), denied), undefined)
  t.equal(notAllowed(path.join(directory, 'file'), new Error('inside')), undefined)
})
