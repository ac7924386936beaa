import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { WidgetSession, WidgetSessionDraft } from '../../schema/widget.ts'
import { changedVisitor, newVisitor, type VisitorStore } from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { readIdentity, type Identity } from './identity.ts'
import type { KnownKey, WidgetStore } from './store.ts'
import {
  isVouchedFor, mayVisitorSee, nameOfSecret, noSession, shownVisitor, TOKEN_SECONDS, tokenOf, type VisitorCaller
} from './visitor.ts'

/** Dependencies of sessions. */
export interface SessionNeeds {
  store: WidgetStore
  visitors: VisitorStore
  /** A visitor's conversations with an agent, newest first. */
  conversationsOf: (owner: Id, agent: Id, visitor: string) => Promise<ConversationRecord[]>
  clock: Clock
}

/** A continued session, and its stored visitor. */
type Before = VisitorCaller & { record: VisitorRecord }

/**
 * The session that a request continues: of the visitor whose token it carries, of this agent and not erased meanwhile.
 * Undefined if the business asserts an identity.
 */
export async function sessionBefore (
  { visitors }: Pick<SessionNeeds, 'visitors'>, { agent }: KnownKey, { identity }: WidgetSessionDraft,
  caller: VisitorCaller | undefined
): Promise<Before | undefined> {
  if (identity || caller?.agent !== agent) return undefined
  const record = await visitors.get(caller.owner, caller.id)
  return record && { ...caller, record }
}

/** Begins a session: of a visitor the business vouches for, of the visitor of the session `before`, or of a new one. */
export async function beginSession (
  { store, visitors, conversationsOf, clock }: SessionNeeds,
  key: KnownKey,
  draft: WidgetSessionDraft,
  before: Before | undefined
): Promise<WidgetSession> {
  const { owner, agent } = key
  const face = (await store.face(owner, agent)) ?? noWidget()
  const now = clock.micros()
  const identity = draft.identity
    ? readIdentity(
      draft.identity, key.secrets.identity.map(({ secret }) => secret), { key: key.id, now: now / 1e6 }
    )
    : undefined
  const visitor = identity
    ? ((await vouchedFor(visitors, key, identity, timestamp(now))) ?? noWidget())
    : (before?.record ?? (await newcomer(visitors, key, timestamp(now))) ?? noWidget())
  const session = {
    key: key.id,
    visitor: visitor.id,
    vouched: identity ? { by: nameOfSecret(identity.secret), until: identity.until } : before?.vouched ?? null,
    since: before?.since ?? now,
    // With an identity the business vouches again; a session that is only continued keeps its expiry.
    expires: before?.vouched ? before.expires : Math.floor(now / 1e6) + TOKEN_SECONDS
  }
  const verified = isVouchedFor(session, now / 1e6)
  const known = (await conversationsOf(owner, agent, visitor.id)).find(
    (one) => one.status !== 'closed' && mayVisitorSee({ ...session, verified, id: visitor.id, agent }, one)
  )
  return {
    token: tokenOf(session, key.secrets.signing),
    expires_at: timestamp(session.expires * 1e6),
    visitor: shownVisitor(face, visitor, verified),
    conversation: known?.id ?? null
  }
}

/** Refuses an erased visitor: they have to begin a session as a new one. */
export async function demandKept (
  { store, visitors }: Pick<SessionNeeds, 'store' | 'visitors'>, { owner, agent, id }: VisitorCaller
) {
  if (await visitors.get(owner, id)) return
  throw await store.face(owner, agent) ? noSession() : noWidget()
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

/** The same message whether there is no such key, or its agent was deleted. */
export function noWidget (): never {
  throw new Refusal('not_found', 'No such widget.')
}
