import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { outsideAudit } from '../audit.ts'
import { damaged, type Secrets } from '../secrets.ts'
import type { Database } from './database.ts'
import { FRONT } from './overflow.ts'
import { pageOf } from './secrets.ts'

/** Bytes of one chunk: small enough that writing or reading one holds nobody up. */
export const CHUNK_BYTES = 256 * 1024

/** A file or a text being written chunk by chunk. It is nobody's until it is kept, and is swept away if it never is. */
export interface Staged {
  readonly id: Id
  /**
   * Adds what comes next. A text is never cut within a character. Rejects with `storage_full` when there is no room.
   */
  write (chunk: Uint8Array | string): Promise<void>
  /** Gives it up. */
  discard (): Promise<void>
}

/**
 * Big things kept in the same file as everything else, cut into chunks so that no read or write holds the event loop,
 * and sealed, so that nothing of them can be read once they are swept. `keep` and `drop` run inside the transaction of
 * whoever owns the thing.
 */
export interface Blobs {
  stage (): Promise<Staged>
  /** Gives a staged thing up. */
  discard (id: Id): Promise<void>
  /** Makes a staged thing permanent. False when it is gone: another process has started meanwhile and swept it away. */
  keep (id: Id): boolean
  /** Marks it as nobody's; it is unreadable at once, and its secret is destroyed by `sweep`. */
  drop (id: Id): void
  /**
   * The chunks in order, each read on its own. Throws `not_found` when it is dropped meanwhile, so that no part of it
   * passes for the whole, and `internal_error` where it is damaged.
   */
  read (id: Id): AsyncGenerator<Buffer>
  /** The same of a text. */
  readText (id: Id): AsyncGenerator<string>
  /** Destroys some secrets of what was dropped: nobody can read it from then on. True when there may be more. */
  destroySome (): Promise<boolean>
  /**
   * Destroys the secrets of what was dropped, then deletes its chunks, for about this many milliseconds. True when
   * there is more to do.
   */
  sweep (budgetMs: number): Promise<boolean>
  /** Seals chunks that an older program kept open. True when there may be more. */
  sealSome (): Promise<boolean>
  /**
   * Gives up what a process that no longer runs was writing: what is staged since this one has opened the file is its
   * own. Called at start, by the one server of the file.
   */
  abandonStaged (): Promise<void>
}

/** Chunks deleted, or sealed, in one piece of a commit; secrets destroyed in one. */
const CHUNKS_AT_ONCE = 4
const SECRETS_AT_ONCE = 50

/** The place of a chunk, to which it is sealed; as SQL too. */
const placeOf = (blob: Id, ordinal: number) => `blob ${blob}.${ordinal}`
const firstPlaceOf = (blob: string) => `'blob ' || ${blob} || '.0'`

/**
 * The SQL of a text's first characters, at most `most` and those of its first chunk; both are SQL too: of the blob's
 * id, and of a number. NULL when they are damaged.
 */
export const textHead = (blob: string, most: string) => `coalesce(
  (select substr(open_text(keys, secret, ${firstPlaceOf('blobs.id')}, data), 1, ${most}) from blobs
    join blob_chunks on blob = blobs.id and ordinal = 0 join secret_pages on secret_pages.id = ${pageOf('secret')} where blobs.id = ${blob}),
  (select substr(data, ${FRONT + 1}, min(length(data) - ${FRONT} - padding, ${most})) from blob_pieces where blob = ${blob} and ordinal = 0))`

/** What a look at a chunk needs: sealed, or as an older program kept it. */
interface Row { secret: Id | null, sealed: Buffer | null, padding: number | null, open: string | Buffer | null }

/** Chunks in the tables `blobs` and `blob_chunks`. */
export function blobsIn (db: Database, clock: Clock, secrets: Secrets): Blobs {
  const { raw } = db
  const create = raw
    .prepare<[number, Id], number>("insert into blobs (state, created_at, secret) values ('staged', ?, ?) returning id")
    .pluck()
  const secretOf = raw.prepare<[Id], Id | null>('select secret from blobs where id = ?').pluck()
  const write = raw.prepare('insert into blob_chunks (blob, ordinal, data) values (?, ?, ?)')
  const keep = raw.prepare("update blobs set state = 'kept' where id = ? and state = 'staged'")
  const drop = raw.prepare("update blobs set state = 'dropped' where id = ?")
  const chunk = raw.prepare<{ id: Id, ordinal: number }, Row>(`
    select secret, c.data as sealed, p.padding, p.data as open from blobs
    left join blob_chunks c on c.blob = id and c.ordinal = :ordinal left join blob_pieces p on p.blob = id and p.ordinal = :ordinal
    where id = :id and state <> 'dropped'`)
  const secretsOfDropped = raw.prepare<[number], { id: Id, secret: Id }>(
    "select id, secret from blobs where state = 'dropped' and secret is not null limit ?"
  )
  const withoutSecret = raw.prepare('update blobs set secret = null where id = ?')
  const dropped = raw.prepare<[], Id>("select id from blobs where state = 'dropped' limit 1").pluck()
  const someChunks = raw.prepare(
    'delete from blob_chunks where blob = ? and ordinal in (select ordinal from blob_chunks where blob = ? limit ?)'
  )
  const somePieces = raw.prepare(
    'delete from blob_pieces where blob = ? and ordinal in (select ordinal from blob_pieces where blob = ? limit ?)'
  )
  const forget = raw.prepare('delete from blobs where id = ?')
  const abandon = raw.prepare<[Id]>("update blobs set state = 'dropped' where state = 'staged' and id <= ?")
  const newestBefore = raw.prepare<[], Id>('select coalesce(max(id), 0) from blobs').pluck().get()!
  const openPieces = raw.prepare<[number], { blob: Id, ordinal: number, padding: number, data: string | Buffer }>(
    "select blob, ordinal, padding, data from blob_pieces join blobs on id = blob and state <> 'dropped' limit ?")
  const giveSecret = raw.prepare('update blobs set secret = ? where id = ?')
  const removePiece = raw.prepare('delete from blob_pieces where blob = ? and ordinal = ?')

  function discard (id: Id) {
    return db.atomically(() => { drop.run(id) }, { frees: true })
  }

  function seal (id: Id, ordinal: number, content: Uint8Array | string) {
    const sealing = secrets.seal(secretOf.get(id)!)
    // Given up while it was being written, it is deleted to the end.
    if (sealing) write.run(id, ordinal, sealing.close(placeOf(id, ordinal), content))
  }

  function contentOf (id: Id, ordinal: number): Buffer | undefined {
    const row = chunk.get({ id, ordinal })
    if (row === undefined) throw new Refusal('not_found', 'This was removed while it was being read.')
    if (row.sealed !== null) {
      const seal = secrets.seal(row.secret!)
      if (!seal) throw damaged()
      return seal.open(placeOf(id, ordinal), row.sealed)
    }
    return row.open === null ? undefined : Buffer.from(row.open.slice(FRONT, row.open.length - row.padding!) as string)
  }

  async function * read (id: Id) {
    for (let ordinal = 0; ; ordinal++) {
      const content = db.read(() => contentOf(id, ordinal))
      if (content === undefined) return
      yield content
      await new Promise(setImmediate)
    }
  }

  function destroySome (): boolean {
    const doomed = secretsOfDropped.all(SECRETS_AT_ONCE)
    for (const { id, secret } of doomed) {
      secrets.destroy(secret)
      withoutSecret.run(id)
    }
    return doomed.length > 0
  }

  function sweepSome () {
    const id = dropped.get()
    if (destroySome() || id === undefined) return
    if (someChunks.run(id, id, CHUNKS_AT_ONCE).changes + somePieces.run(id, id, CHUNKS_AT_ONCE).changes === 0) {
      forget.run(id)
    }
  }

  return {
    async stage () {
      // What is staged is nothing yet that the audit log would tell of.
      const id = await outsideAudit(() => db.atomically(() => create.get(clock.micros(), secrets.create())!))
      let chunks = 0
      return {
        id,
        write (content) {
          // Counted here: what is done anew after a full disk must not leave a gap.
          const ordinal = chunks++
          return outsideAudit(() => db.atomically(() => seal(id, ordinal, content)))
        },
        discard: () => discard(id)
      }
    },
    discard,
    keep: (id) => keep.run(id).changes === 1,
    drop (id) {
      drop.run(id)
    },
    read,
    async * readText (id) {
      for await (const content of read(id)) yield content.toString()
    },
    async destroySome () {
      return db.read(() => secretsOfDropped.get(1)) !== undefined && await db.atomically(destroySome, { frees: true })
    },
    async sweep (budgetMs) {
      const deadline = clock.monotonic() + budgetMs
      for (;;) {
        if (db.read(() => dropped.get()) === undefined) return false
        await db.atomically(sweepSome, { frees: true })
        if (clock.monotonic() >= deadline) return true
      }
    },
    sealSome () {
      if (db.read(() => openPieces.all(1)).length === 0) return Promise.resolve(false)
      return db.atomically(() => {
        const some = openPieces.all(CHUNKS_AT_ONCE)
        for (const { blob, ordinal, padding, data } of some) {
          if (secretOf.get(blob) === null) giveSecret.run(secrets.create(), blob)
          seal(blob, ordinal, data.slice(FRONT, data.length - padding))
          removePiece.run(blob, ordinal)
        }
        return some.length > 0
      })
    },
    abandonStaged: () => db.atomically(() => { abandon.run(newestBefore) }, { frees: true })
  }
}

/**
 * Blobs of which something is damaged or missing, of all that are kept sealed; on any connection. Opens everything:
 * some seconds a gigabyte.
 */
export function damagedBlobs (raw: BetterSqlite3.Database, secrets: Secrets): Id[] {
  const kept = raw.prepare<[], { id: Id, secret: Id, chunks: number, last: number }>(`
    select id, secret, count(*) as chunks, max(ordinal) + 1 as last from blobs join blob_chunks on blob = id where state = 'kept' group by id`)
  const chunk = raw.prepare<[Id, number], Buffer>('select data from blob_chunks where blob = ? and ordinal = ?').pluck()
  const isWhole = (id: Id, secret: Id, chunks: number) => {
    try {
      const seal = secrets.seal(secret)!
      for (let ordinal = 0; ordinal < chunks; ordinal++) seal.open(placeOf(id, ordinal), chunk.get(id, ordinal)!)
      return true
    } catch {
      return false
    }
  }
  return kept
    .all()
    .filter(({ id, secret, chunks, last }) => chunks !== last || !isWhole(id, secret, chunks))
    .map(({ id }) => id)
}
