import type { FastifyPluginAsync } from 'fastify'
import type { AgentStore } from '../agents/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { linkedBelow } from './attachments/attachments.ts'
import { attachmentRoutes } from './attachments/routes.ts'
import { aiRoutes } from './compatible/ai.ts'
import { openaiRoutes } from './compatible/openai.ts'
import { messageRoutes } from './message-routes.ts'
import type { Conversations } from './open.ts'
import { conversationRoutes } from './routes.ts'
import { usageRoutes } from './usage/routes.ts'
import { visitorRoutes } from './visitors/routes.ts'

export { ATTACHED, damagedAttachments } from './attachments/attachments.sqlite.ts'
export { addressIn } from './handoff/address.ts'
export { isOfDraft } from './handoff/policy.ts'
export type * from './handoff/policy.ts'
export type * from './contract.ts'
export { openConversations, type Conversations } from './open.ts'
export { watching, type Streaming } from './answer-stream.ts'
export { addAttachments } from './attachments/receive.ts'
export { MOST_BYTES, linkedBelow, withAddress } from './attachments/attachments.ts'
export type { RemoveConversations } from './storage/removal.sqlite.ts'
export type { ConversationRow } from './storage/rows.ts'
export { conversationsOfPersons, leftToRemove, type ConversationsOfPersons } from './storage/personal.sqlite.ts'
export { changedVisitor, newVisitor, type VisitorStore } from './visitors/visitors.ts'
export { checkToTry, closerOf, READING, SPEAKING, inConversation, NO_CONVERSATION, noConversation, onlyToTry } from './routes.ts'
export { inboxOf, topicOf, type AccountEvent, type ConversationStore, type Slice } from './store.ts'
export { placeAsked, shownMessage } from './stream.ts'
export { INACTIVE, REGENERATING } from './talk/inactive.ts'
export type { Examined, Talk } from './talk/contract.ts'
export { canned, saysMayHelp } from './answering/small-talk/small-talk.ts'
export { daysAsked } from './usage/days.ts'
export { dateOf, dayOf } from './usage/ledger.ts'
export { modelTrial } from './usage/trial.ts'

/** The conversations plugin. */
export const conversationsRoutes: FastifyPluginAsync<{
  conversations: Conversations
  agents: AgentStore
  streams: EventStreams
  notifier: Notifier
  clock: Clock
  blobs: Blobs
  mediaUrl: () => string
  /** The server's public address. */
  baseUrl: () => string
}> = async (
  app,
  {
    conversations: { store, visitors, presence, ledger, talk, typing, attachments, idempotency }, agents, streams,
    notifier, clock, blobs, mediaUrl, baseUrl
  }
) => {
  const streaming = { store, talk, typing, streams, notifier, linked: linkedBelow(mediaUrl) }
  await app.register(conversationRoutes, { store, talk, presence })
  await app.register(messageRoutes, { streaming })
  await app.register(attachmentRoutes, { store, attachments, blobs, mediaUrl })
  await app.register(visitorRoutes, { visitors, store, clock })
  await app.register(usageRoutes, { ledger, clock })
  await app.register(openaiRoutes, { agents, store, talk, streams, clock, idempotency, baseUrl })
  await app.register(aiRoutes, { agents, streaming })
}
