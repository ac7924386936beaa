import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { NoteRecord } from '../../schema/handoff.ts'
import { notes } from '../../schema/sqlite/handoff.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Conversations } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { sealKept, type Secrets } from '../platform/storage/secrets.ts'

/** Notes that a conversation may have. */
const MOST_NOTES = 500

/** What people note on conversations. A conversation that is missing, or somebody else's, is `undefined`. */
export interface NoteStore {
  list (owner: Id, conversation: string): Promise<NoteRecord[] | undefined>
  /** Refuses with `limit_reached` where there are too many. */
  add (owner: Id, conversation: string, person: Id, text: string, once?: Once): Promise<Outcome<NoteRecord> | undefined>
  /** False where there is no such note. */
  remove (owner: Id, conversation: string, note: string): Promise<boolean>
}

/** See NoteStore. Their words are sealed with the secret of the conversation, and go with it. */
export function sqliteNoteStore ({ db, clock, onceOnly, secrets, tell }: {
  db: Database, clock: Clock, onceOnly: OnceOnly, secrets: Secrets, tell: Conversations['tell']
}): NoteStore {
  const { raw } = db
  const rows = rowsOf(notes)
  const conversationOf = raw.prepare<[string, Id], { number: number, secret: Id }>(
    `select number, secret from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const all = raw
    .prepare<[number], unknown[]>(`select ${rows.columns} from notes where conversation = ? order by number`)
    .raw()
  const count = raw.prepare<[number], number>('select count(*) from notes where conversation = ?').pluck()
  const insert = raw.prepare('insert into notes (id, conversation, person, created_at, sealed) values (?, ?, ?, ?, ?)')
  const remove = raw.prepare('delete from notes where id = ? and conversation = ?')
  const placeOf = (id: string) => `note/${id}`

  return {
    list: async (owner, conversation) => db.read(() => {
      const found = conversationOf.get(conversation, owner)
      if (!found) return undefined
      const seal = sealKept(secrets, found.secret)
      return all.all(found.number).map((row) => {
        const { sealed, number: _number, ...kept } = rows.record(row)
        return { ...kept, conversation, text: seal.open(placeOf(kept.id), sealed).toString() }
      })
    }),
    add: (owner, conversation, person, text, once) => db.atomically(() => {
      const found = conversationOf.get(conversation, owner)
      return found && onceOnly.run(owner, once, () => {
        if (count.get(found.number)! >= MOST_NOTES) {
          throw new Refusal('limit_reached', `A conversation may have ${MOST_NOTES} notes. Remove one that is not needed.`)
        }
        const note = {
          id: `note_${randomBytes(16).toString('base64url')}`,
          conversation,
          person,
          text,
          created_at: timestamp(clock.micros())
        }
        insert.run(
          note.id,
          found.number,
          person,
          note.created_at,
          sealKept(secrets, found.secret).close(placeOf(note.id), text)
        )
        tell(owner, 'note.created', conversation, 0)
        return note
      })
    }),
    remove: (owner, conversation, note) => db.atomically(() => {
      const found = conversationOf.get(conversation, owner)
      if (!found || remove.run(note, found.number).changes === 0) return false
      tell(owner, 'note.deleted', conversation, 0)
      return true
    }, { frees: true })
  }
}
