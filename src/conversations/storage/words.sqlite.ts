import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../../schema/conversations.ts'
import { conversations, visitors } from '../../../schema/sqlite/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Secrets } from '../../platform/storage/secrets.ts'
import type { Work } from '../../platform/storage/work.ts'
import { FORM, wordKeyOf } from '../../search/words/key.ts'
import { wordsIn } from '../../search/words/words.ts'
import { messagesIn } from './messages.sqlite.ts'
import { conversationOf, visitorOf, type ConversationRow } from './rows.ts'

/*
 * Word index of conversations: a search decrypts none of them. Each word is stored as four bytes that only the
 * account's secret derives from it, so the file reveals no messages; deleted with the conversation.
 */

/** Messages whose words share a row, so that a long conversation is not rewritten with each. */
const TOGETHER = 16
/** Bytes per word, cut from the block that encrypts it. */
const MARK = 4
const BLOCK = 16
/** Messages of an older version decrypted between checks of the time. */
const DECRYPTED_AT_ONCE = 4

/** Which conversations: of one owner, those with these numbers; else all. */
export interface Range { owner: Id, from: number, before: number }
type In = Pick<ConversationRow, 'number' | 'owner'>
/** Who a visitor is, as searched for. */
type About = Pick<VisitorRecord, 'name' | 'email' | 'phone' | 'external_id' | 'place'>

/** Every method runs inside the caller's transaction. */
export interface ConversationWords {
  /** Indexes the words of a new conversation, and of its visitor if an older version wrote them. */
  ofNew (number: number, conversation: ConversationRecord): Work<void>
  /** Indexes the words of a conversation's title, replacing those `before`; see titleOf. */
  ofSubject (conversation: In, title: string, before: string): Work<void>
  /** Adds the words of messages; an unfinished one has none yet. */
  ofMessages (conversation: In, messages: readonly MessageRecord[]): Work<void>
  /** The words of a visitor's details, to be stored with them. */
  ofVisitor (owner: Id, visitor: About): Work<Buffer>
  /** The index entries of each word searched for; undefined if the owner has no indexed words. */
  sought (owner: Id, text: string): Work<Buffer[] | undefined>
  /** Whether any conversations of an older version are left. */
  hasUnindexed (range?: Range): Work<boolean>
  /** Indexes some of these, newest first, for this many milliseconds. Whether there may be more. */
  indexSome (ms: number, range?: Range): Work<boolean>
}

/** What is searched of a conversation besides its messages. */
export const titleOf = ({ subject, tags }: Pick<ConversationRecord, 'subject' | 'tags'>) => [subject, ...tags].join('\n')

/** Words of conversations in SQLite. */
export function conversationWords (db: Database, secrets: Secrets): ConversationWords {
  const rows = rowsOf(conversations)
  const visitorRows = rowsOf(visitors)
  const messages = messagesIn(db)
  const secretOf = db.column<[Id], number>('select secret from word_secrets where owner_id = ?')
  const giveSecret = db.objects('insert into word_secrets (owner_id, secret) values (?, ?)')
  const known = db.column<[number, number], Buffer>(
    'select words from conversation_words where conversation = ? and part = ?'
  )
  const keep = db.objects(
    'insert into conversation_words (conversation, part, words) values (?, ?, ?) on conflict (conversation, part) do update set words = excluded.words'
  )
  const nameless = db.rows<[string, Id], unknown[]>(
      `select ${visitorRows.columns} from visitors where id = ? and owner_id = ? and words is null`
  )
  const name = db.objects('update visitors set words = ? where number = ?')
  const select = `select ${rows.columns} from conversations where not indexed`
  const anyUnindexed = db.rows<[], unknown[]>(`${select} order by owner_id desc, number desc limit 1`)
  const unindexedIn = db.rows<Range, unknown[]>(
      `${select} and owner_id = :owner and number >= :from and number < :before order by number desc limit 1`
  )
  const done = db.objects('update conversations set indexed = 1 where number = ?')
  /** The last indexed message of conversations being indexed, as committed. */
  const reached = new Map<number, number>()

  function * nextIn (range: Range | undefined): Work<ConversationRow | undefined> {
    const found = range ? (yield * unindexedIn.get(range)) : (yield * anyUnindexed.get())
    return found && rows.record(found)
  }

  /** The index entries of words, concatenated. */
  function * marksOf (words: ReadonlySet<string>, secret: Id): Work<Buffer> {
    const blocks = Buffer.alloc(words.size * BLOCK)
    let at = 0
    for (const word of words) blocks.write(wordKeyOf(word, { language: null, form: FORM }), BLOCK * at++, 'latin1')
    const disguised = (yield * sealKept(secrets, secret)).disguise(blocks)
    const marks = Buffer.alloc(words.size * MARK)
    for (let i = 0; i < words.size; i++) disguised.copy(marks, i * MARK, i * BLOCK, i * BLOCK + MARK)
    return marks
  }

  function * marksIn (owner: Id, text: string, more: Iterable<string> = []): Work<Buffer> {
    let secret = yield * secretOf.get(owner)
    if (secret === undefined) yield * giveSecret.run(owner, secret = yield * secrets.create())
    return yield * marksOf(new Set([...wordsIn(text, null), ...more]), secret)
  }

  function * ofSubject ({ number, owner }: In, subject: string, before = '') {
    if (subject !== before) yield * keep.run(number, 0, yield * marksIn(owner, subject))
  }

  function * ofMessages ({ number, owner }: In, said: readonly MessageRecord[]) {
    for (const { seq, text, status } of said) {
      if (status === 'generating') continue
      const part = 1 + Math.floor(seq / TOGETHER)
      const before = yield * known.get(number, part)
      const added = before ? missingIn(before, yield * marksIn(owner, text)) : (yield * marksIn(owner, text))
      if (added.length > 0) yield * keep.run(number, part, before ? Buffer.concat([before, added]) : added)
    }
  }

  const ofVisitor = (owner: Id, { name, email, phone, external_id: externalId, place }: About): Work<Buffer> =>
    marksIn(owner, [name, email, phone, externalId, place].join('\n'), beginningsOf(name ?? ''))

  /** Indexes a visitor stored by an older version. */
  function * ofKnownVisitor (owner: Id, id: string) {
    const found = yield * nameless.get(id, owner)
    if (!found) return
    const row = visitorRows.record(found)
    const marks = yield * readable(function * () {
      return yield * ofVisitor(owner, visitorOf(row, yield * sealKept(secrets, row.secret)))
    })
    yield * name.run(marks ?? Buffer.alloc(0), row.number)
  }

  /** Indexes a conversation until done or out of time. Whether it is done. */
  function * indexUntil (row: ConversationRow, until: number): Work<boolean> {
    const seal = yield * sealKept(secrets, row.secret)
    if (!reached.has(row.number)) yield * ofSubject(row, titleOf(conversationOf(row, seal)))
    for (let after = reached.get(row.number) ?? 0; ;) {
      const some = yield * messages.inOrder(row, { after }, DECRYPTED_AT_ONCE, seal)
      yield * ofMessages(row, some)
      if (some.length < DECRYPTED_AT_ONCE) return true
      const last = after = some.at(-1)!.seq
      yield * db.afterwards(() => reached.set(row.number, last))
      if (performance.now() > until) return false
    }
  }

  return {
    ofSubject,
    ofMessages,
    ofVisitor,
    * ofNew (number, { owner, visitor, subject }) {
      yield * ofSubject({ number, owner }, subject)
      if (visitor !== null) yield * ofKnownVisitor(owner, visitor)
    },
    * sought (owner, text) {
      const secret = yield * secretOf.get(owner)
      if (secret === undefined) return undefined
      const marks = yield * marksOf(wordsIn(text, null), secret)
      return Array.from({ length: marks.length / MARK }, (_, i) => marks.subarray(i * MARK, (i + 1) * MARK))
    },
    * hasUnindexed (range) { return (yield * nextIn(range)) !== undefined },
    * indexSome (ms, range) {
      const until = performance.now() + ms
      do {
        const row = yield * nextIn(range)
        if (!row) return false
        if (row.visitor !== null) yield * ofKnownVisitor(row.owner, row.visitor)
        // Damaged ones are found by the words before it.
        if ((yield * readable(() => indexUntil(row, until))) === false) continue
        yield * db.afterwards(() => reached.delete(row.number))
        yield * done.run(row.number)
      } while (performance.now() < until)
      return true
    }
  }
}

/** The beginnings of a name's words: people are found while they are typed. Two letters, as fewer are anybody's. */
function beginningsOf (name: string): string[] {
  return [...wordsIn(name, null)].flatMap((word) => {
    const letters = [...word]
    return letters.slice(2).map((_letter, i) => letters.slice(0, i + 2).join(''))
  })
}

/** Those of `marks` that are not in others yet. */
function missingIn (before: Buffer, marks: Buffer): Buffer {
  const known = new Set<number>()
  for (let at = 0; at < before.length; at += MARK) known.add(before.readUInt32LE(at))
  const missing: Buffer[] = []
  for (let at = 0; at < marks.length; at += MARK) {
    if (!known.has(marks.readUInt32LE(at))) missing.push(marks.subarray(at, at + MARK))
  }
  return Buffer.concat(missing)
}

/** The result of reading; undefined if the stored data is damaged. */
function * readable<T> (read: () => Work<T>): Work<T | undefined> {
  try {
    return yield * read()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
