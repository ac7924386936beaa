import type { AgentRecord } from '../../../schema/agents.ts'
import { ANSWER, said, type Kept, type Said, type TicketDecision } from '../life.ts'
import type { Verdict } from './judge.ts'

/** Mails that a ticket passes on in 24 hours. Programs that answer each other in disguise come no further. */
export const MOST_PASSED_ON = 20
const DAY_MS = 86_400_000

/** What is known beside the mail: `isMember`: the sender works for the account. */
export interface About { agent: AgentRecord, isMember: boolean, origin: string, at: string }

/**
 * What a mail to a ticket does. From the business it goes to who asked, and the other way round; from anybody else, and
 * where too many have been passed on today, it is held for a person. A mail of who asked may be answered by the agent,
 * once. Pure.
 */
export function taken (
  kept: Kept, { side, from, text }: Verdict & { kind: 'message' }, { agent, isMember, origin, at }: About
): TicketDecision {
  const { ticket, messages } = kept
  const { email, autoTicketReply } = agent.behavior
  const isOf = (address: string | null | undefined) => address?.toLowerCase() === from.toLowerCase()
  const isKnown = side === 'business' ? isMember || isOf(email) : isOf(ticket.requester?.email)
  const since = new Date(Date.parse(at) - DAY_MS).toISOString()
  const passedOn = messages.filter((one) => !one.held && one.created_at > since).length
  const isHeld = !isKnown || passedOn >= MOST_PASSED_ON
  const words: Said = {
    role: roleOf(side, isKnown), from, text, held: isHeld, origin, to: isHeld ? null : otherSide(side, kept, email)
  }
  const decision = said(kept, words, at)
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

function otherSide (side: 'business' | 'requester', { ticket }: Kept, email: string | null): Said['to'] {
  if (side === 'business') return ticket.requester?.email ? 'requester' : null
  return email ? 'business' : null
}

function roleOf (side: 'business' | 'requester', isKnown: boolean): Said['role'] {
  if (!isKnown) return 'unknown'
  return side === 'business' ? 'person' : 'visitor'
}
