import { randomUUID } from 'node:crypto'
import type { BusinessStore, SealChat } from '../business/index.ts'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { invalid } from '../platform/errors.ts'
import { lastingOnly } from '../platform/net/egress.ts'
import { addressCode } from '../platform/net/outside.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { DomainEventOf } from '../platform/work/event-bus.ts'
import type { Dispatch, DispatchPayload } from '../platform/work/outbox.ts'
import type { CheckAddress } from './webhook.ts'

/*
 * Notifications in the team's chat about agents with `is_chatapp_enabled`: a visitor waits, or has waited too long, a
 * ticket was opened, an answer was disliked. With a link into the console, and without the visitor's words.
 */

/** The outbox channel of chat messages. */
const TEAM_CHAT = 'team_chat'
/** Maximum bytes of the receiver's response; nobody reads it. */
const MOST_BYTES = 65_536

interface ChatPayload extends DispatchPayload { type: string, agent: Id, conversation: string | null }

/** The events that a team's chat may be told. */
const TOLD = ['handoff.requested', 'handoff.overdue', 'ticket.created', 'knowledge.gaps', 'feedback.given'] as const

/** The chat message for a domain event; undefined if there is none. */
export function chatOf (happened: DomainEventOf<typeof TOLD[number]>): Dispatch | undefined {
  const { owner, agent, type } = happened
  if (agent === null) return undefined
  const tell = (conversation: string | null, about: string, key: string): Dispatch => {
    const payload: ChatPayload = { type, to: TEAM_CHAT, agent, conversation }
    return { owner, channel: TEAM_CHAT, key: `${TEAM_CHAT}/${key}`, about, payload }
  }
  if (type === 'handoff.requested') {
    const { id, epoch } = happened.data.conversation
    return tell(id, `conversations/${id}`, `${id}/${epoch}`)
  }
  if (type === 'handoff.overdue') {
    const { id, reply_due_at: due } = happened.data.conversation
    return tell(id, `conversations/${id}`, `${id}/overdue/${due}`)
  }
  if (type === 'ticket.created') {
    const { id, conversation } = happened.data.ticket
    return tell(conversation, `tickets/${id}`, id)
  }
  if (type === 'knowledge.gaps') return tell(null, TEAM_CHAT, `gaps/${agent}/${randomUUID()}`)
  const { conversation: { id }, message, before } = happened.data
  return message.feedback?.score === -1 && before !== -1 ? tell(id, `conversations/${id}`, message.id) : undefined
}

/** The sentence, given the agent's name. `console`: the console's address. */
export function sentenceOf (
  { type, conversation }: Pick<ChatPayload, 'type' | 'conversation'>, name: string, console: string
): string {
  const what: Record<string, string> = {
    'handoff.requested': `A visitor of ${name} is waiting for a person.`,
    'handoff.overdue': `A reply to a visitor of ${name} is overdue.`,
    'ticket.created': `A ticket of ${name} was opened.`,
    'feedback.given': `A visitor of ${name} disliked an answer.`,
    'knowledge.gaps': `This week ${name} was asked what it did not know. What it could learn:`
  }
  if (type === 'knowledge.gaps') return `${what[type]} ${console}/#/suggestions`
  return `${what[type]} ${console}${conversation === null ? '/' : `/#/inbox/${conversation}`}`
}

/** Seals the address of a team's chat for the account, after checking that something may be sent there. */
export function chatSealing (vault: Vault, check: CheckAddress) {
  return (owner: Id): SealChat => (url) => {
    const fault = check('team_chat_url', url)
    if (fault) throw invalid({ field: 'team_chat_url', message: fault, code: addressCode(fault) })
    return vault.close(placeOf(owner), url)
  }
}

/** The address of a team's chat that was sealed for the account. */
export const openedChat = (vault: Vault, owner: Id, sealed: Buffer) => vault.open(placeOf(owner), sealed)

const placeOf = (owner: Id) => `businesses.team_chat_url ${owner}`

/** Notifies the team's chat from now on, in the transaction of the event. */
export function openTeamChat (kernel: Kernel, { business, agentOf }: {
  business: BusinessStore
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}) {
  const { db, vault, outbox, eventBus, out, address } = kernel
  const isOn = db.column<[Id], number>('select is_chatapp_enabled from agents where id = ?')
  eventBus.on(TOLD, function * (happened) {
    const told = chatOf(happened)
    if (!told || (yield * business.of(told.owner)).team_chat_url === null) return
    if ((yield * isOn.get(happened.agent!)) === 1) yield * outbox.add(told)
  })
  kernel.sendBy(TEAM_CHAT, {
    async send ({ owner, payload }, signal) {
      const told = payload as ChatPayload
      const { team_chat_url: sealed } = await business.get(owner)
      if (!sealed) throw failed('chat_gone', 'The address of the team chat was removed.', false)
      const agent = await agentOf(owner, told.agent)
      const { status } = await out.fetch(openedChat(vault, owner, sealed), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          text: sentenceOf(told, agent?.appearance.chatbotName ?? `agent ${told.agent}`, `${address()}/console`)
        }),
        maxBytes: MOST_BYTES,
        redirect: 'manual',
        anyStatus: true,
        signal
      }).catch((error) => { throw lastingOnly(error) })
      if (status >= 200 && status < 300) return { externalId: null }
      const isGone = status === 404 || status === 410
      throw failed('chat_refused', `The team chat answered ${status} instead of 200 to 299.`, !isGone)
    }
  })
}

function failed (code: string, message: string, retryable: boolean) {
  return Object.assign(new Error(message), { code, retryable })
}
