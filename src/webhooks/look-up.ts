import type { TSchema } from '@sinclair/typebox'
import { CheckRun } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import { Conversation, Message } from '../../schema/conversations.ts'
import { Feed, KnowledgeGaps } from '../../schema/feeds.ts'
import { ImportSummary } from '../../schema/imports.ts'
import { KnowledgeSource } from '../../schema/knowledge.ts'
import { VersionSummary } from '../../schema/versions.ts'
import type { AgentStore } from '../agents/index.ts'
import { linkedBelow, type Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Knowledge } from '../sources/index.ts'
import { shownTicket, type Tickets } from '../tickets/index.ts'
import type { LookUp } from './send.ts'

/** Reads one thing of an account, of an agent's where it belongs to one. */
type OfAgent = (owner: Id, agent: Id, id: Id) => Promise<object | undefined>

/** Where what events are about is read. The last three are opened on what stands above webhooks. */
export interface EventsAbout {
  conversations: Pick<Conversations, 'store'>
  knowledge: Pick<Knowledge, 'store'>
  tickets: Pick<Tickets, 'store'>
  agents: Pick<AgentStore, 'version'>
  checks: { store: { run: OfAgent } }
  feeds: { store: { get: OfAgent }, gaps: (owner: Id, agent: Id) => Promise<object | undefined> }
  imports: { summary: (owner: Id, id: Id) => Promise<object | undefined> }
}

/** Looks up what events are about, in the form the API shows it. */
export function lookingUp (
  { config: { MEDIA_URL, BASE_URL } }: Pick<Kernel, 'config'>,
  { conversations: { store }, knowledge, tickets, agents, checks, feeds, imports }: EventsAbout
): LookUp {
  const linked = linkedBelow(() => MEDIA_URL || `${BASE_URL}/media`)
  return {
    conversation: async (owner, { conversation = '' }) => only(Conversation, await store.get(owner, conversation)),
    async message (owner, { conversation = '', message = '' }) {
      const found = await store.message(owner, conversation, message)
      return found && only(Message, linked(found))
    },
    source: async (owner, { source = 0 }, agent) =>
      only(KnowledgeSource, await knowledge.store.get(owner, agent ?? 0, source)),
    feed: async (owner, { feed = 0 }, agent) => only(Feed, await feeds.store.get(owner, agent ?? 0, feed)),
    gaps: async (owner, _refs, agent) => only(KnowledgeGaps, await feeds.gaps(owner, agent ?? 0)),
    import: async (owner, { import: id = 0 }) => only(ImportSummary, await imports.summary(owner, id)),
    version: async (owner, { version = 0 }, agent) =>
      only(VersionSummary, await agents.version(owner, agent ?? 0, version)),
    run: async (owner, { run = 0 }, agent) => only(CheckRun, await checks.store.run(owner, agent ?? 0, run)),
    async ticket (owner, { ticket = '' }) {
      const kept = await tickets.store.get(owner, ticket)
      return kept && shownTicket(kept)
    }
  }
}

/** Only those fields of a record that an answer may show. */
function only ({ properties }: TSchema, record: object | undefined): object | undefined {
  return record && Object.fromEntries(Object.entries(record).filter(([name]) => name in properties))
}
