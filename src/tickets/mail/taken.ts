import type { AgentRecord } from '../../../schema/agents.ts'
import { maskedBy } from '../../guards/index.ts'
import {
  ANSWER, HELD, MOST_PASSED_ON, SHOW, dispatch, isUnsent, isWithoutAddress, said, type Kept, type Said,
  type TicketDecision
} from '../life.ts'
import type { Verdict } from './judge.ts'

const DAY_MS = 86_400_000

/** Context beyond the mail: `isMember`: the sender works for the account. */
export interface About { agent: AgentRecord, isMember: boolean, origin: string, at: string }

/**
 * The effect of a mail to a ticket. From the business it goes to the requester, and vice versa; from anybody else, and
 * if too many have been passed on today, it is held for a person. So is what the business writes before the requester's
 * address is known; its author is notified once. A requester's mail may be answered by the agent, once. Pure.
 */
export function taken (
  kept: Kept, { side, from, text }: Verdict & { kind: 'message' }, { agent, isMember, origin, at }: About
): TicketDecision {
  const { ticket, messages } = kept
  const { email, autoTicketReply } = agent.behavior
  const isKnown = side === 'business' ? isMember || isOf(email, from) : isOf(ticket.requester?.email, from)
  const since = new Date(Date.parse(at) - DAY_MS).toISOString()
  const passedOn = messages.filter((one) => !one.held && one.created_at > since).length
  const isWaiting = side === 'business' && isKnown && isWithoutAddress(ticket)
  const isHeld = !isKnown || isWaiting || passedOn >= MOST_PASSED_ON
  // Visitors' messages are stored redacted, by mail too.
  const shown = side === 'business' ? text : maskedBy(text, agent.behavior.guardRules, 'asked')
  const words: Said = {
    role: roleOf(side, isKnown),
    from,
    text: shown,
    held: isHeld,
    origin,
    to: isHeld ? null : otherSide(side, kept, email)
  }
  const decision = said(kept, words, at)
  if (isWaiting) return waiting(decision, messages.some((one) => isUnsent(one) && isOf(one.from, from)))
  if (isHeld || side === 'business' || !autoTicketReply || ticket.is_answered) return decision
  return {
    ...decision,
    jobs: [
      {
        kind: ANSWER,
        owner: ticket.owner,
        payload: { owner: ticket.owner, ticket: ticket.id, n: decision.said?.n },
        lane: 'outside',
        unlessAsked: true
      }
    ]
  }
}

/** It is shown if the chat is still open, and its author is notified, unless they already were (`isTold`). */
function waiting (decision: TicketDecision, isTold: boolean): TicketDecision {
  const { ticket, said: message } = decision
  const { id, owner, conversation } = ticket
  return {
    ...decision,
    dispatches: isTold ? [] : [dispatch(ticket, 'business', message!.n, HELD)],
    jobs: conversation === null ? [] : [{ kind: SHOW, owner, payload: { owner, ticket: id } }]
  }
}

const isOf = (address: string | null | undefined, from: string) => address?.toLowerCase() === from.toLowerCase()

function otherSide (side: 'business' | 'requester', { ticket }: Kept, email: string | null): Said['to'] {
  if (side === 'business') return ticket.requester?.email ? 'requester' : null
  return email ? 'business' : null
}

function roleOf (side: 'business' | 'requester', isKnown: boolean): Said['role'] {
  if (!isKnown) return 'unknown'
  return side === 'business' ? 'person' : 'visitor'
}
