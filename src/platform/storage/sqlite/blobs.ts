import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { outsideAudit } from '../audit.ts'
import { damaged, sealWith, type Secrets } from '../secrets.ts'
import { type Database, type Statements } from './database.ts'
import { FRONT } from './overflow.ts'
import { keyOf, pageOf } from './secrets.ts'
import { filtered, type Work } from '../work.ts'
import { nextTurn } from '../../work/turns.ts'

/** Bytes of one chunk: small enough that writing or reading one blocks nobody. */
export const CHUNK_BYTES = 256 * 1024

/** A file or a text being written chunk by chunk. It has no owner until it is kept, and is swept if it never is. */
export interface Staged {
  readonly id: Id
  /** Adds a chunk. A text is never cut within a character. Rejects with `storage_full` when there is no room. */
  write (chunk: Uint8Array | string): Promise<void>
  /** Discards it. */
  discard (): Promise<void>
}

/**
 * Large objects stored in the same file as everything else, cut into chunks so that no read or write blocks the event
 * loop, and sealed, so that nothing of them can be read once they are swept. `keep` and `drop` run inside the
 * transaction of the owner of the object.
 */
export interface Blobs {
  stage (): Promise<Staged>
  /** Discards a staged object. */
  discard (id: Id): Promise<void>
  /** Makes a staged object permanent. False when it is gone: another process has started meanwhile and swept it. */
  keep (id: Id): Work<boolean>
  /** Marks it as ownerless; it is unreadable at once, and its secret is destroyed by `sweep`. */
  drop (id: Id): Work<void>
  /**
   * The chunks in order, each read separately. Throws `not_found` when it is dropped meanwhile, so that a part is never
   * taken for the whole, and `internal_error` if it is damaged.
   */
  read (id: Id): AsyncGenerator<Buffer>
  /** The same of a text. */
  readText (id: Id): AsyncGenerator<string>
  /** Destroys some secrets of what was dropped: nobody can read it any longer. True when there may be more. */
  destroySome (): Promise<boolean>
  /**
   * Destroys the secrets of what was dropped, then deletes its chunks, for about this many milliseconds. True when
   * there is more to do.
   */
  sweep (budgetMs: number): Promise<boolean>
  /** Seals chunks that an older program stored unsealed. True when there may be more. */
  sealSome (): Promise<boolean>
  /**
   * Discards what dead processes were writing: what was staged since this one opened the file is its own. Called at
   * start, by the only server of the file. Where others serve, up to the blob that was the newest so long ago that none
   * of them can still be writing it.
   */
  abandonStaged (upTo?: Id): Promise<void>
  /** The newest blob of all. */
  newest (): Promise<Id>
}

/** Chunks deleted, or sealed, per piece of a commit; secrets destroyed per piece. */
const CHUNKS_AT_ONCE = 4
const SECRETS_AT_ONCE = 50

/** The place to which a chunk is sealed; also as SQL. */
const placeOf = (blob: Id, ordinal: number) => `blob ${blob}.${ordinal}`

/**
 * SQL for what `openHead` needs of a text's first chunk, three columns, where `isWanted` is true; both are SQL too,
 * `blob` its blob's id.
 */
export const headOf = (blob: string, isWanted: string) => [
  `(select ${keyOf('secret')} from blobs join secret_pages on secret_pages.id = ${pageOf('secret')} where blobs.id = ${blob})`,
  `(select data from blob_chunks where blob = ${blob} and ordinal = 0)`,
  `(select substr(data, ${FRONT + 1}, length(data) - ${FRONT} - padding) from blob_pieces where blob = ${blob} and ordinal = 0)`
].map((column) => `case when ${isWanted} then ${column} end`).join(', ')

/** A text's first chunk, from these columns; null if it is damaged, or was not requested. */
export function openHead (
  blob: Id | null, [key, sealed, open]: [Buffer | null, Buffer | null, string | Buffer | null]
): string | null {
  if (blob === null || key === null || sealed === null) return open === null ? null : String(open)
  try {
    return sealWith(key).open(placeOf(blob, 0), sealed).toString()
  } catch {
    return null
  }
}

/** Columns for reading a chunk: sealed, or as an older program stored it. */
interface Row { secret: Id | null, sealed: Buffer | null, padding: number | null, open: string | Buffer | null }

/** Chunks in the tables `blobs` and `blob_chunks`. */
export function blobsIn (db: Database, clock: Clock, secrets: Secrets): Blobs {
  const create = db.column<[number, Id], number>(
    "insert into blobs (state, created_at, secret) values ('staged', ?, ?) returning id"
  )
  const secretOf = db.column<[Id], Id | null>('select secret from blobs where id = ?')
  const write = db.objects('insert into blob_chunks (blob, ordinal, data) values (?, ?, ?)')
  const keep = db.objects("update blobs set state = 'kept' where id = ? and state = 'staged'")
  const drop = db.objects("update blobs set state = 'dropped' where id = ?")
  const chunk = db.objects<{ id: Id, ordinal: number }, Row>(`
    select secret, c.data as sealed, p.padding, p.data as open from blobs
    left join blob_chunks c on c.blob = id and c.ordinal = :ordinal left join blob_pieces p on p.blob = id and p.ordinal = :ordinal
    where id = :id and state <> 'dropped'`)
  const secretsOfDropped = db.objects<[number], { id: Id, secret: Id }>(
    "select id, secret from blobs where state = 'dropped' and secret is not null limit ?"
  )
  const withoutSecret = db.objects('update blobs set secret = null where id = ?')
  const dropped = db.column<[], Id>("select id from blobs where state = 'dropped' limit 1")
  const someChunks = db.objects(
    'delete from blob_chunks where blob = ? and ordinal in (select ordinal from blob_chunks where blob = ? limit ?)'
  )
  const somePieces = db.objects(
    'delete from blob_pieces where blob = ? and ordinal in (select ordinal from blob_pieces where blob = ? limit ?)'
  )
  const forget = db.objects('delete from blobs where id = ?')
  const abandon = db.objects<[Id]>("update blobs set state = 'dropped' where state = 'staged' and id <= ?")
  const newest = db.column<[], Id>('select coalesce(max(id), 0) from blobs')
  // Read now: anything staged later belongs to this process.
  const newestBefore = db.first(() => newest.get())
  // Handled where it is awaited.
  newestBefore.catch(() => {})
  const openPieces = db.objects<[number], { blob: Id, ordinal: number, padding: number, data: string | Buffer }>(
    "select blob, ordinal, padding, data from blob_pieces join blobs on id = blob and state <> 'dropped' limit ?")
  const giveSecret = db.objects('update blobs set secret = ? where id = ?')
  const removePiece = db.objects('delete from blob_pieces where blob = ? and ordinal = ?')

  function discard (id: Id) {
    return db.atomically(function * () { yield * drop.run(id) }, { frees: true })
  }

  function * seal (id: Id, ordinal: number, content: Uint8Array | string) {
    const sealing = yield * secrets.seal((yield * secretOf.get(id))!)
    // If it was discarded while being written, all of it is deleted.
    if (sealing) yield * write.run(id, ordinal, sealing.close(placeOf(id, ordinal), content))
  }

  function * contentOf (id: Id, ordinal: number): Work<Buffer | undefined> {
    const row = yield * chunk.get({ id, ordinal })
    if (row === undefined) throw new Refusal('not_found', 'This was removed while it was being read.')
    if (row.sealed !== null) {
      const seal = yield * secrets.seal(row.secret!)
      if (!seal) throw damaged()
      return seal.open(placeOf(id, ordinal), row.sealed)
    }
    return row.open === null ? undefined : Buffer.from(row.open.slice(FRONT, row.open.length - row.padding!) as string)
  }

  async function * read (id: Id) {
    for (let ordinal = 0; ; ordinal++) {
      const content = await db.read(() => contentOf(id, ordinal))
      if (content === undefined) return
      yield content
      await nextTurn()
    }
  }

  function * destroySome (): Work<boolean> {
    const doomed = yield * secretsOfDropped.all(SECRETS_AT_ONCE)
    for (const { id, secret } of doomed) {
      yield * secrets.destroy(secret)
      yield * withoutSecret.run(id)
    }
    return doomed.length > 0
  }

  function * sweepSome () {
    const id = yield * dropped.get()
    if ((yield * destroySome()) || id === undefined) return
    if ((yield * someChunks.run(id, id, CHUNKS_AT_ONCE)) + (yield * somePieces.run(id, id, CHUNKS_AT_ONCE)) === 0) {
      yield * forget.run(id)
    }
  }

  return {
    async stage () {
      // Staging is nothing yet that the audit log would record.
      const id = await outsideAudit(() => db.atomically(function * () {
        return (yield * create.get(clock.micros(), yield * secrets.create()))!
      }))
      let chunks = 0
      return {
        id,
        write (content) {
          // Counted here: a retry after a full disk must not leave a gap.
          const ordinal = chunks++
          return outsideAudit(() => db.atomically(() => seal(id, ordinal, content)))
        },
        discard: () => discard(id)
      }
    },
    discard,
    * keep (id) { return (yield * keep.run(id)) === 1 },
    * drop (id) {
      yield * drop.run(id)
    },
    read,
    async * readText (id) {
      for await (const content of read(id)) yield content.toString()
    },
    async destroySome () {
      return (await db.read(() => secretsOfDropped.get(1))) !== undefined &&
        await db.atomically(destroySome, { frees: true })
    },
    async sweep (budgetMs) {
      const deadline = clock.monotonic() + budgetMs
      for (;;) {
        if ((await db.read(() => dropped.get())) === undefined) return false
        await db.atomically(sweepSome, { frees: true })
        if (clock.monotonic() >= deadline) return true
      }
    },
    async sealSome () {
      if ((await db.read(() => openPieces.all(1))).length === 0) return false
      return await db.atomically(function * () {
        const some = yield * openPieces.all(CHUNKS_AT_ONCE)
        for (const { blob, ordinal, padding, data } of some) {
          if ((yield * secretOf.get(blob)) === null) yield * giveSecret.run(yield * secrets.create(), blob)
          yield * seal(blob, ordinal, data.slice(FRONT, data.length - padding))
          yield * removePiece.run(blob, ordinal)
        }
        return some.length > 0
      })
    },
    newest: async () => (await db.read(() => newest.get()))!,
    async abandonStaged (upTo) {
      const last = upTo ?? (await newestBefore)!
      await db.atomically(() => abandon.run(last), { frees: true })
    }
  }
}

/**
 * Blobs of which something is damaged or missing, among all that are kept sealed; on any connection. Opens everything:
 * some seconds per gigabyte.
 */
export function * damagedBlobs (db: Statements, secrets: Secrets): Work<Id[]> {
  const kept = db.objects<[], { id: Id, secret: Id, chunks: number, last: number }>(`
    select id, secret, count(*) as chunks, max(ordinal) + 1 as last from blobs join blob_chunks on blob = id where state = 'kept' group by id`)
  const chunk = db.column<[Id, number], Buffer>('select data from blob_chunks where blob = ? and ordinal = ?')
  function * isWhole (id: Id, secret: Id, chunks: number) {
    try {
      const seal = (yield * secrets.seal(secret))!
      for (let ordinal = 0; ordinal < chunks; ordinal++) {
        seal.open(
          placeOf(id, ordinal), (yield * chunk.get(id, ordinal))!
        )
      }
      return true
    } catch {
      return false
    }
  }
  return (yield * filtered(yield * kept
    .all(), function * ({ id, secret, chunks, last }) {
    return chunks !== last || !(yield * isWhole(id, secret, chunks))
  }))
    .map(({ id }) => id)
}
