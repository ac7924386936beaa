import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { NoteRecord } from '../../schema/handoff.ts'
import { notes } from '../../schema/sqlite/handoff.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { sealKept } from '../platform/storage/secrets.ts'
import { nextTurn } from '../platform/work/turns.ts'

/** Most notes of a conversation. */
const MOST_NOTES = 500
/** Notes decrypted per batch: 3 ms. */
const OPENED_AT_ONCE = 50

/** Team notes on conversations. For a missing conversation, or somebody else's, `undefined`. */
export interface NoteStore {
  list (owner: Id, conversation: string): Promise<NoteRecord[] | undefined>
  /** Refuses with `limit_reached` if there are too many. */
  add (
    owner: Id, conversation: string, person: Id, text: string, once?: IdempotencyKey
  ): Promise<IdempotentResult<NoteRecord> | undefined>
  /** False if there is no such note. */
  remove (owner: Id, conversation: string, note: string): Promise<boolean>
}

/** See NoteStore. Encrypted with the secret of the conversation, and deleted with it. */
export function sqliteNoteStore (
  { db, clock, idempotency, secrets, tell }:
  Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'secrets'> & { tell: Conversations['tell'] }
): NoteStore {
  const rows = rowsOf(notes)
  const conversationOf = db.objects<[string, Id], { number: number, secret: Id }>(
    `select number, secret from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const few = db.rows<[number, number, number], unknown[]>(
    `select ${rows.columns} from notes where conversation = ? and number > ? order by number limit ?`
  )
  const count = db.column<[number], number>('select count(*) from notes where conversation = ?')
  const insert = db.objects('insert into notes (id, conversation, person, created_at, sealed) values (?, ?, ?, ?, ?)')
  const remove = db.objects('delete from notes where id = ? and conversation = ?')
  const placeOf = (id: string) => `note/${id}`

  /** The next few notes after one, decrypted, and the number of the last one if there may be more. */
  const part = async (owner: Id, conversation: string, after: number) => await db.read(function * () {
    const found = yield * conversationOf.get(conversation, owner)
    if (!found) return undefined
    const seal = yield * sealKept(secrets, found.secret)
    const kept = (yield * few.all(found.number, after, OPENED_AT_ONCE)).map((row) => rows.record(row))
    const opened = kept.map(({ sealed, number: _number, ...kept }): NoteRecord =>
      ({ ...kept, conversation, text: seal.open(placeOf(kept.id), sealed).toString() }))
    return { notes: opened, next: kept.length < OPENED_AT_ONCE ? undefined : kept.at(-1)!.number }
  })

  return {
    async list (owner, conversation) {
      const all: NoteRecord[] = []
      for (let after = 0; ;) {
        const few = await part(owner, conversation, after)
        if (!few) return undefined
        all.push(...few.notes)
        if (few.next === undefined) return all
        after = few.next
        await nextTurn()
      }
    },
    add: (owner, conversation, person, text, once) => db.atomically(function * () {
      const found = yield * conversationOf.get(conversation, owner)
      return found && (yield * idempotency.run(owner, once, function * () {
        if ((yield * count.get(found.number))! >= MOST_NOTES) {
          throw new Refusal('limit_reached', `A conversation may have ${MOST_NOTES} notes. Remove one that is not needed.`)
        }
        const note = {
          id: `note_${randomBytes(16).toString('base64url')}`,
          conversation,
          person,
          text,
          created_at: timestamp(clock.micros())
        }
        yield * insert.run(
          note.id,
          found.number,
          person,
          note.created_at,
          (yield * sealKept(secrets, found.secret)).close(placeOf(note.id), text)
        )
        yield * tell(owner, 'note.created', conversation, 0)
        return note
      }))
    }),
    remove: (owner, conversation, note) => db.atomically(function * () {
      const found = yield * conversationOf.get(conversation, owner)
      if (!found || (yield * remove.run(note, found.number)) === 0) return false
      yield * tell(owner, 'note.deleted', conversation, 0)
      return true
    }, { frees: true })
  }
}
