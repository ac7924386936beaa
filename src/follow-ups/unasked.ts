import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Conversations } from '../conversations/index.ts'
import type { MailShare } from '../deliveries/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Sender } from '../platform/work/outbox.ts'
import type { Unasked } from '../tickets/index.ts'
import { quietFor } from './mail.ts'

/*
 * Unsolicited mail to a visitor: its recipient, and how it is put into the outbox and sent, outside quiet hours.
 */

/** What mailing a visitor needs of other features. */
export interface UnaskedFeatures {
  conversations: Pick<Conversations, 'store' | 'visitors' | 'presence'>
  business: Pick<BusinessStore, 'of'>
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** Whether a visitor has agreed to the agent's notice. */
  hasConsented: (agent: AgentRecord, visitor: VisitorRecord) => boolean
  /** Sends mail; undefined if mail is not set up. */
  unasked: Unasked | undefined
  /** Each account's share of outgoing mail. */
  share: MailShare
}

/** Dependencies of mailing a visitor. */
export interface UnaskedNeeds extends UnaskedFeatures, Pick<Kernel, 'clock' | 'outbox'> {}

/** A conversation, its speaker and visitor, and whether the visitor has agreed to be written to. */
export async function addressee (
  { conversations: { store, visitors }, agentOf, hasConsented }: Pick<UnaskedNeeds, 'conversations' | 'agentOf' | 'hasConsented'>,
  owner: Id, id: string
) {
  const conversation = await store.get(owner, id)
  const agent = conversation && (await agentOf(owner, conversation.speaker ?? conversation.agent))
  const visitor = conversation?.visitor ? await visitors.get(owner, conversation.visitor) : undefined
  const mayWrite = agent !== undefined && visitor !== undefined && hasConsented(agent, visitor)
  return { conversation, agent, visitor, mayWrite }
}

/** A mail, as decided in the transaction. */
export interface Letter { to: string, key: string, payload: Record<string, unknown> }

/**
 * Puts a mail into the outbox, in the transaction that checks once more whether it is wanted; delayed in quiet hours.
 * `decide`: the mail for the current state; undefined if none is wanted.
 */
export async function queueUnasked (
  { clock, outbox, conversations: { store }, business }: Pick<UnaskedNeeds, 'clock' | 'outbox' | 'conversations' | 'business'>,
  unasked: Pick<Unasked, 'reserve'>, { owner, id, channel }: { owner: Id, id: string, channel: string },
  decide: (conversation: ConversationRecord, now: number) => Work<Letter | undefined>
): Promise<{ done: true } | { againInMs: number, fresh: true }> {
  let quiet = 0
  await store.change(owner, id, {}, function * ({ conversation }) {
    const now = clock.micros()
    const letter = yield * decide(conversation, now)
    if (letter === undefined) return undefined
    quiet = quietFor(yield * business.of(owner), now)
    const ticket = quiet > 0 ? undefined : (yield * unasked.reserve(id, letter.to))
    if (ticket === undefined) return undefined
    yield * outbox.add({
      owner,
      channel,
      key: `${channel}/${letter.key}`,
      about: `conversations/${id}`,
      payload: { ...letter.payload, to: `visitors/${conversation.visitor}`, conversation: id, ticket }
    })
    return undefined
  })
  return quiet > 0 ? { againInMs: quiet, fresh: true } : { done: true }
}

/** Holds mails back in quiet hours, even on retries. */
export function heldInQuietHours (
  { clock, business }: Pick<UnaskedNeeds, 'clock' | 'business'>
): NonNullable<Sender['heldMs']> {
  return function * ({ owner }) { return quietFor(yield * business.of(owner), clock.micros()) }
}

/** A mail that is no longer wanted when it is to be sent. */
export function notWanted (sentence: string): Error {
  return Object.assign(new Error(sentence), { code: 'not_wanted', retryable: false })
}
