import { readFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { FRONT, paddingFor } from '../../../src/platform/storage/sqlite/overflow.ts'

/** The pages of a file that contain this letter, by their kind in `dbstat`. */
function kindsWith (letter: string, file: string) {
  const db = new Database(file, { readonly: true })
  const kinds = db.prepare<[], [number, string]>('select pageno, pagetype from dbstat').raw().all()
  db.close()
  const bytes = readFileSync(file)
  return [
    ...new Set(
      kinds.filter(([page]) => bytes.subarray((page - 1) * 4096, page * 4096).includes(letter)).map(([, kind]) => kind)
    )
  ]
}

t.test(
  'nothing of a value is in the page of its table, however long it is and whatever numbers stand before it',
  async (t) => {
    // Was wrong with FRONT at 256, and without the padding.
    const file = path.join(t.testdir({}), 'x.db')
    const db = new Database(file)
    db.exec(
      'create table bare (a integer, b integer, c integer, data); create table kept (id integer primary key, a integer, b integer, data)'
    )
    for (const numbers of [
      [null, null], [0, 1], [2 ** 40, 2 ** 20], [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    ]) {
      for (let bytes = 1; bytes < 14_000; bytes += 61) {
        const blob = Buffer.concat([Buffer.alloc(FRONT), Buffer.alloc(bytes, 'Ψ'), Buffer.alloc(paddingFor(bytes))])
        db.prepare('insert into bare (a, b, c, data) values (?, ?, ?, ?)').run(...numbers, 1, blob)
        db.prepare('insert into kept (a, b, data) values (?, ?, ?)').run(...numbers, blob)
      }
    }
    db.close()
    t.same(kindsWith('Ψ', file), ['overflow'])
  }
)
