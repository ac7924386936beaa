import type { Database } from './database.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { FRONT, inOverflow, paddingFor } from './overflow.ts'

/** Bytes of one piece: small enough that writing or reading one holds nobody up. */
export const PIECE_BYTES = 256 * 1024

/** A file or a text being written piece by piece. It is nobody's until it is kept, and is swept away if it never is. */
export interface Staged {
  readonly id: number
  /** Adds what comes next. Rejects with `storage_full` when there is no room. */
  write (piece: Uint8Array | string): Promise<void>
  /** Gives it up. */
  discard (): Promise<void>
}

/**
 * Big things kept in the same file as everything else, cut into pieces so that no read or write holds the event loop.
 * Texts are kept as text and files as bytes, both in overflow pages, so that nothing of them stays in the file once it is swept. `keep` and `drop` run inside the transaction of whoever owns the thing.
 */
export interface Blobs {
  stage (): Promise<Staged>
  /** Gives a staged thing up. */
  discard (id: number): Promise<void>
  /** Makes a staged thing permanent. False when it is gone: another process has started meanwhile and swept it away. */
  keep (id: number): boolean
  /** Marks it as nobody's; it is unreadable at once and its bytes are overwritten by `sweep`. */
  drop (id: number): void
  /** The pieces in order, each read on its own. Throws `not_found` when it is dropped meanwhile, so that no part of it passes for the whole. */
  read<T extends string | Buffer> (id: number): AsyncGenerator<T>
  /** Overwrites dropped pieces for about this many milliseconds. True when there is more to do. */
  sweep (budgetMs: number): Promise<boolean>
  /** Gives up what a process that no longer runs was writing. Called at start, by the one server of the file. */
  abandonStaged (): Promise<void>
}

/** A piece as it is kept, after how many of its last bytes are not its own. */
function padded (data: Uint8Array | string): [padding: number, data: Buffer | string] {
  const padding = paddingFor(Buffer.byteLength(data))
  return [padding, typeof data === 'string' ? inOverflow(data) : Buffer.concat([Buffer.alloc(FRONT), data, Buffer.alloc(padding)])]
}

/** The SQL of a text's first characters, at most `most` and those of its first piece; both are SQL too: of the blob's id, and of a number. */
export const textHead = (blob: string, most: string) =>
  `(select substr(data, ${FRONT + 1}, min(length(data) - ${FRONT} - padding, ${most})) from blob_pieces where blob = ${blob} and ordinal = 0)`

/** Pieces in the tables `blobs` and `blob_pieces`. */
export function blobsIn (db: Database, clock: Clock): Blobs {
  const { raw } = db
  const create = raw.prepare<[number], number>("insert into blobs (state, created_at) values ('staged', ?) returning id").pluck()
  const write = raw.prepare('insert into blob_pieces (blob, ordinal, padding, data) values (?, ?, ?, ?)')
  const keep = raw.prepare("update blobs set state = 'kept' where id = ? and state = 'staged'")
  const drop = raw.prepare("update blobs set state = 'dropped' where id = ?")
  const piece = raw.prepare<[number, number], { padding: number, data: string | Buffer }>(
    "select padding, data from blob_pieces join blobs on blobs.id = blob where blob = ? and ordinal = ? and state <> 'dropped'")
  const isThere = raw.prepare<[number], number>("select 1 from blobs where id = ? and state <> 'dropped'").pluck()
  const dropped = raw.prepare<[], number>("select id from blobs where state = 'dropped' limit 1").pluck()
  const somePieces = raw.prepare('delete from blob_pieces where blob = ? and ordinal in (select ordinal from blob_pieces where blob = ? limit 4)')
  const forget = raw.prepare('delete from blobs where id = ?')
  const abandon = raw.prepare("update blobs set state = 'dropped' where state = 'staged'")

  function discard (id: number) {
    return db.atomically(() => { drop.run(id) }, { frees: true })
  }

  return {
    async stage () {
      const id = await db.atomically(() => create.get(clock.micros())!)
      let ordinal = 0
      return {
        id,
        write: (data) => db.atomically(() => { write.run(id, ordinal++, ...padded(data)) }),
        discard: () => discard(id)
      }
    },
    discard,
    keep: (id) => keep.run(id).changes === 1,
    drop (id) {
      drop.run(id)
    },
    async * read<T extends string | Buffer> (id: number) {
      for (let ordinal = 0; ; ordinal++) {
        const found = db.read(() => piece.get(id, ordinal))
        if (found === undefined) {
          if (db.read(() => isThere.get(id)) === 1) return
          throw new Refusal('not_found', 'This was removed while it was being read.')
        }
        yield found.data.slice(FRONT, found.data.length - found.padding) as T
        await new Promise(setImmediate)
      }
    },
    async sweep (budgetMs) {
      const deadline = clock.monotonic() + budgetMs
      for (;;) {
        const id = db.read(() => dropped.get())
        if (id === undefined) return false
        await db.atomically(() => {
          if (somePieces.run(id, id).changes === 0) forget.run(id)
        }, { frees: true })
        if (clock.monotonic() >= deadline) return true
      }
    },
    abandonStaged: () => db.atomically(() => { abandon.run() }, { frees: true })
  }
}
