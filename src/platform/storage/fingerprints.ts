import { finish, type Database } from './sqlite/database.ts'
import { Refusal } from '../errors.ts'
import { fingerprintOfKeyIn, keyFault, type Fingerprint } from './vault.ts'

const READ = 'select fingerprint from vault_keys'
const INSERT = 'insert into vault_keys (id, fingerprint) values (1, ?)'
const WRITE = `${INSERT}
  on conflict (id) do update set fingerprint = excluded.fingerprint, copied_at = null`

/** The fingerprint of agenthall.key in a data file, where every program that has the file open sees the newest one. */
export function fingerprintInFile (db: Database): Fingerprint {
  const [read, write] = [db.column<[], string>(READ), db.objects(WRITE)]
  return {
    read: () => finish(read.get()),
    write (fingerprint) {
      finish(write.run(fingerprint))
    }
  }
}

/**
 * Ensures that a directory has the same key as all servers of a database: the first one provides it. Refuses with
 * `conflict` one that has none or another.
 */
export async function shareKey (db: Database, directory: string): Promise<void> {
  const [read, write] = [db.column<[], string>(READ), db.objects(`${INSERT} on conflict (id) do nothing`)]
  const known = await db.read(() => read.get()) ?? await db.atomically(function * () {
    yield * write.run(fingerprintOfKeyIn(directory))
    return (yield * read.get())!
  })
  const fault = keyFault(directory, known)
  if (fault) {
    throw new Refusal('conflict', `${fault} All servers of one database need the same file.`)
  }
}

/** The same in a remote database: it is read once, and written soon. */
export async function fingerprintRemembered (db: Database): Promise<Fingerprint> {
  const [read, write] = [db.column<[], string>(READ), db.objects(WRITE)]
  let known = await db.read(() => read.get())
  return {
    read: () => known,
    write (fingerprint) {
      known = fingerprint
      // If that fails the key exists all the same, and its fingerprint is stored at the next start.
      db.atomically(() => write.run(fingerprint)).catch(() => {})
    }
  }
}
