import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { WidgetSession, WidgetSessionDraft } from '../../schema/widget.ts'
import { changedVisitor, newVisitor, type VisitorStore } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { readIdentity, type Identity } from './identity.ts'
import type { KnownKey, WidgetStore } from './store.ts'
import { TOKEN_SECONDS, tokenOf } from './token.ts'
import { mayVisitorSee, shownVisitor, type VisitorCaller } from './visitor.ts'

/** What sessions are made of. */
export interface SessionNeeds {
  store: WidgetStore
  visitors: VisitorStore
  /** A visitor's conversations with an agent, newest first. */
  conversationsOf: (owner: Id, agent: Id, visitor: string) => Promise<ConversationRecord[]>
  clock: Clock
}

/**
 * Begins a session: of whom the business vouches for, of the visitor of the session `before`, whose token proves it, or
 * of a new one.
 */
export async function beginSession (
  { store, visitors, conversationsOf, clock }: SessionNeeds,
  key: KnownKey,
  draft: WidgetSessionDraft,
  before: VisitorCaller | undefined
): Promise<WidgetSession> {
  const { owner, agent } = key
  const face = (await store.face(owner, agent)) ?? noWidget()
  const now = clock.micros()
  const identity = draft.identity
    ? readIdentity(
      draft.identity, key.secrets.identity.map(({ secret }) => secret), { key: key.id, now: now / 1e6 }
    )
    : undefined
  const goesOn = identity === undefined && before?.agent === agent ? before : undefined
  const visitor = identity
    ? ((await vouchedFor(visitors, key, identity, timestamp(now))) ?? noWidget())
    : ((goesOn && (await visitors.get(owner, goesOn.id))) ??
      (await newcomer(visitors, key, timestamp(now))) ??
      noWidget())
  const session = {
    key: key.id,
    visitor: visitor.id,
    verified: identity !== undefined || (goesOn?.id === visitor.id && goesOn.verified),
    since: goesOn?.id === visitor.id ? goesOn.since : now,
    // Whom the business vouches for, it does so anew; a session that only goes on ends when it would have.
    expires: goesOn?.verified ? goesOn.expires : Math.floor(now / 1e6) + TOKEN_SECONDS
  }
  const own = (await conversationsOf(owner, agent, visitor.id)).find(
    (one) => one.status !== 'closed' && mayVisitorSee({ ...session, id: visitor.id, agent }, one)
  )
  return {
    token: tokenOf(session, key.secrets.signing),
    expires_at: timestamp(session.expires * 1e6),
    visitor: shownVisitor(face, visitor, session.verified),
    conversation: own?.id ?? null
  }
}

async function newcomer (
  visitors: VisitorStore, { owner, agent }: KnownKey, at: string
): Promise<VisitorRecord | undefined> {
  return (await visitors.create(owner, newVisitor(newVisitorId(), owner, agent, at)))?.answer
}

async function vouchedFor (
  visitors: VisitorStore, { owner, agent }: KnownKey, { sub, email, name }: Identity, at: string
): Promise<VisitorRecord | undefined> {
  return await visitors.vouchedFor(owner, agent, sub, newVisitor(newVisitorId(), owner, agent, at), (kept) => ({
    ...changedVisitor(kept, { external_id: sub, ...(email !== null && { email }), ...(name !== null && { name }) }, at),
    verified: true
  }))
}

const newVisitorId = () => `vis_${randomBytes(16).toString('base64url')}`

/** The same words whether there is no such key, or its agent is gone. */
export function noWidget (): never {
  throw new Refusal('not_found', 'No such widget.')
}
