import { randomBytes } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import type { Attachment } from '../../../schema/conversations.ts'
import type { Tier } from '../../../schema/plans.ts'
import { attachments } from '../../../schema/sqlite/conversations.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Seal } from '../../platform/storage/secrets.ts'
import { flatMapped, mapped, settled, type Work } from '../../platform/storage/work.ts'
import { overStorage, storageRoom, type StagedFile } from '../../sources/index.ts'
import { demandShare, type AttachmentStore } from './attachments.ts'

/** The table whose `bytes` count towards its `owner_id`. */
export const ATTACHED = 'attachments'

/** Files removed in one commit. */
const ATTACHMENTS_AT_ONCE = 50

/** Dependencies; `storageLimit`: bytes an account of a tier may store. */
export interface AttachmentsNeeds extends Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'secrets'> {
  blobs: Blobs
  storageLimit: (tier: Tier) => number
}

type Row = typeof attachments.$inferSelect

/** The files named by messages, inside the transaction of the message that names them. */
export interface NamedAttachments {
  /** The named files among those of a conversation. */
  find (conversation: number, ids: readonly string[], seal: Seal): Work<Attachment[]>
  /** From now on they stay with the message. */
  keep (files: readonly Attachment[]): Work<void>
}

/**
 * Attachments in SQLite. Names are encrypted with the secret of the conversation, bytes like other files.
 */
export function sqliteAttachmentStore ({
  db, clock, idempotency, secrets, blobs, storageLimit
}: AttachmentsNeeds): AttachmentStore & { named: NamedAttachments } {
  const rows = rowsOf(attachments)
  const room = storageRoom(db, storageLimit)
  const insert = db.objects(`insert into attachments (${rows.columns}) values (${rows.placeholders})`)
  const conversationOf = db.objects<[string, Id], { number: number, agent: Id, secret: Id }>(
    `select number, agent_id as agent, secret from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const one = db.rows<[string, number], unknown[]>(`select ${rows.columns} from attachments where id = ? and conversation = ?`)
  const ofConversation = db.rows<[number], unknown[]>(`select ${rows.columns} from attachments where conversation = ? order by rowid`)
  const atPath = db.rows<[string], unknown[]>(`select ${rows.columns} from attachments where path = ? and ${OF_KEPT_AGENT}`)
  const secretOf = db.column<[number], Id>('select secret from conversations where number = ?')

  const ofVisitor = db.column<[string, Id], number>(
    'select coalesce(sum(bytes), 0) from attachments indexed by attachments_by_visitor where visitor = ? and owner_id = ?'
  )
  const named = db.objects('update attachments set loose_since = null where id = ? and loose_since is not null')
  const forget = db.objects(`delete from attachments where rowid in
    (select rowid from attachments indexed by attachments_loose where loose_since < ? limit ${ATTACHMENTS_AT_ONCE})`)

  function * keep (
    about: Pick<Row, 'conversation' | 'owner' | 'agent' | 'visitor'>,
    seal: Seal,
    { blob, bytes, name, path }: StagedFile
  ): Work<Attachment> {
    // Another process has started meanwhile and removed it.
    if (!(yield * blobs.keep(blob))) {
      throw new Refusal('unavailable', 'The server was restarted while this was being sent. Send it again.')
    }
    const id = `att_${randomBytes(16).toString('base64url')}`
    const shown = name || 'file'
    const loose = about.visitor === null ? null : clock.micros()
    const sealed = seal.close(placeOf(id), shown)
    yield * insert.run(...rows.values({ ...about, id, path, blob, bytes, loose_since: loose, sealed }))
    return { id, name: shown, bytes, url: path }
  }

  const nameOf = ({ id, sealed }: Row, seal: Seal) => seal.open(placeOf(id), sealed).toString()

  return {
    room: async (owner) => db.read(() => room(owner)),
    add: (owner, conversation, files, { visitor = null, once } = {}) =>
      db.atomically(function * () {
        const found = yield * conversationOf.get(conversation, owner)
        return (
          found &&
          (yield * idempotency.run(
            owner,
            once,
            function * () {
              const asked = files.reduce((sum, { bytes }) => sum + bytes, 0)
              const { used, allowed } = yield * room(owner)
              if (visitor !== null) demandShare((yield * ofVisitor.get(visitor, owner))!, asked)
              if (used + asked > allowed) throw overStorage({ used, allowed }, asked)
              const seal = yield * sealKept(secrets, found.secret)
              const { number, agent } = found
              return yield * mapped(files, (file) => keep({ conversation: number, owner, agent, visitor }, seal, file))
            },
            () => `conversations/${conversation}`
          ))
        )
      }, { of: owner }),
    at: async (path) =>
      db.read(function * () {
        const found = yield * atPath.get(path)
        if (!found) return undefined
        const row = rows.record(found)
        return {
          path,
          name: nameOf(row, yield * sealKept(secrets, (yield * secretOf.get(row.conversation))!)),
          bytes: row.bytes,
          blob: row.blob
        }
      }),
    of: async (owner, conversation) =>
      db.read(function * () {
        const found = yield * conversationOf.get(conversation, owner)
        const seal = found && (yield * sealKept(secrets, found.secret))
        return seal
          ? (yield * ofConversation
              .all(found.number))
              .map(rows.record)
              .map((row) => ({ id: row.id, name: nameOf(row, seal), bytes: row.bytes, url: row.path, blob: row.blob }))
          : []
      }),
    ofVisitor: async (owner, visitor) => db.read(function * () { return (yield * ofVisitor.get(visitor, owner))! }),
    forgetLoose: (before) => db.atomically(function * () {
      return (yield * forget.run(before)) === ATTACHMENTS_AT_ONCE
    }, { frees: true }),
    named: {
      find: (conversation, ids, seal) =>
        flatMapped(ids, function * (id) {
          const found = yield * one.get(id, conversation)
          if (!found) return []
          const row = rows.record(found)
          return [{ id, name: nameOf(row, seal), bytes: row.bytes, url: row.path }]
        }),
      * keep (files) {
        for (const { id } of files) yield * named.run(id)
      }
    }
  }
}

/** What a damaged blob affects, if it is a visitor's file; for databases of any age. */
export function * damagedAttachments (db: Statements): Work<(blob: Id) => Work<string[]>> {
  if (!(yield * db.hasTable(ATTACHED))) return () => settled([])
  const of = db.column<[Id], string>(`
    select 'a file (' || attachments.id || ') of conversation ' || conversations.id || ' is damaged: delete that conversation'
    from attachments join conversations on number = conversation where blob = ?`
  )
  return (blob) => of.all(blob)
}

const placeOf = (id: string) => `attachment/${id}`
