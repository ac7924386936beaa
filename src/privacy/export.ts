import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Exporter } from '../personal-data/contract.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { nextTurn } from '../platform/work/turns.ts'

/** The stores that an export reads. */
export interface ExportNeeds {
  conversations: Pick<Conversations, 'store' | 'visitors' | 'attachments'>
  blobs: Pick<Blobs, 'read'>
  clock: Clock
  /** What other features store of a conversation or a visitor, by property name in the file. */
  more: readonly Exporter[]
}

/** Conversations and messages that are read, decrypted and written in one go: some 5 ms. */
const CONVERSATIONS_AT_ONCE = 20
const MESSAGES_AT_ONCE = 50

/**
 * Everything stored of a visitor, as one JSON document, piece by piece: their details and consents, each conversation
 * with its messages, and each file with its bytes in base64. Undefined when there is no such visitor.
 */
export async function exportOf (
  needs: ExportNeeds, owner: Id, id: string
): Promise<AsyncGenerator<string> | undefined> {
  const visitor = await needs.conversations.visitors.get(owner, id)
  return visitor && inTurns(pieces(needs, owner, visitor))
}

/** One conversation in the same way. Undefined when there is none. */
export async function exportOfConversation (
  needs: ExportNeeds, owner: Id, id: string
): Promise<AsyncGenerator<string> | undefined> {
  const conversation = await needs.conversations.store.get(owner, id)
  return conversation && inTurns(wholeConversation(needs, owner, conversation))
}

/** Each piece in a separate turn of the event loop, so that a long export does not block others. */
async function * inTurns (pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece
    await nextTurn()
  }
}

async function * wholeConversation (
  needs: ExportNeeds, owner: Id, conversation: ConversationRecord
): AsyncGenerator<string> {
  yield `{"exported_at":${JSON.stringify(timestamp(needs.clock.micros()))},"conversation":`
  yield * conversationIn(needs, owner, conversation)
  yield '}\n'
}

async function * pieces (needs: ExportNeeds, owner: Id, visitor: VisitorRecord): AsyncGenerator<string> {
  const { owner: _owner, ...shown } = visitor
  yield `{"exported_at":${JSON.stringify(timestamp(needs.clock.micros()))},"visitor":${JSON.stringify(shown)}`
  yield * moreOf(needs, owner, { visitor })
  yield ',"conversations":['
  let cursor: string | undefined
  let isFirst = true
  do {
    const { items, next } =
      await needs.conversations.store.list(owner, { visitor: visitor.id }, cursor, CONVERSATIONS_AT_ONCE)
    for (const conversation of items) {
      if (!isFirst) yield ','
      isFirst = false
      yield * conversationIn(needs, owner, conversation)
    }
    cursor = next ?? undefined
  } while (cursor !== undefined)
  yield ']}\n'
}

async function * conversationIn (
  needs: ExportNeeds, owner: Id, conversation: ConversationRecord
): AsyncGenerator<string> {
  // `messages` is their number elsewhere; here it is the messages themselves.
  const { owner: _owner, revision: _revision, messages: _count, ...shown } = conversation
  yield `${JSON.stringify(shown).slice(0, -1)},"messages":[`
  yield * messagesIn(needs, owner, conversation)
  yield '],"attachments":['
  yield * attachmentsIn(needs, owner, conversation)
  yield ']'
  yield * moreOf(needs, owner, { conversation })
  yield '}'
}

async function * messagesIn (
  { conversations: { store } }: ExportNeeds, owner: Id, { id }: ConversationRecord
): AsyncGenerator<string> {
  for (let after = 0; ;) {
    // If deleted meanwhile, it ends here.
    const messages = (await store.messages(owner, id, { after }, MESSAGES_AT_ONCE)) ?? []
    if (messages.length === 0) return
    yield (
      (after === 0 ? '' : ',') + messages.map(({ attempts: _attempts, ...shown }) => JSON.stringify(shown)).join(',')
    )
    after = messages.at(-1)!.seq
  }
}

async function * attachmentsIn (
  { conversations: { attachments }, blobs }: ExportNeeds, owner: Id, { id }: ConversationRecord
): AsyncGenerator<string> {
  for (const [i, { blob, ...shown }] of (await attachments.of(owner, id)).entries()) {
    yield `${i === 0 ? '' : ','}${JSON.stringify(shown).slice(0, -1)},"content":"`
    yield * base64Of(blobs.read(blob))
    yield '"}'
  }
}

/** Bytes in base64: groups of three are never cut. */
async function * base64Of (chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const all = Buffer.concat([rest, chunk])
    const whole = all.length - all.length % 3
    yield all.toString('base64', 0, whole)
    rest = all.subarray(whole)
  }
  yield rest.toString('base64')
}

async function * moreOf ({ more }: ExportNeeds, owner: Id, about: Parameters<Exporter['of']>[1]): AsyncGenerator<string> {
  for (const { name, of } of more) yield `,${JSON.stringify(name)}:${JSON.stringify(await of(owner, about))}`
}
