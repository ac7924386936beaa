import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Id } from '../../schema/common.ts'
import { KnowledgeSource, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import { aroundList, serialiserOf } from '../platform/http/resources/pieces.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { withCountPlaceholder } from './kept.ts'
import type { Shown } from './show.ts'
import { SOURCES_AT_ONCE, type AgentStore, type AgentWithSources } from './store.ts'

/** A response up to this many bytes is sent whole, and may be cached; a longer one is streamed. */
const WHOLE = 2 ** 21

/** The sources after those that were read with the agent, in slices: others may run before each. */
export async function * sourcesAfter (
  agents: Pick<AgentStore, 'sources'>, owner: Id, { agent, sources, total }: AgentWithSources
): AsyncGenerator<KnowledgeSourceRecord[]> {
  if (sources.length >= total) return
  let slice: readonly KnowledgeSourceRecord[] = sources
  do {
    await nextTurn()
    slice = await agents.sources(owner, agent.id, slice.at(-1)?.id ?? 0)
    if (slice.length > 0) yield [...slice]
  } while (slice.length === SOURCES_AT_ONCE)
}

/** Writes responses that show an agent with all its sources. */
export function agentWriting ({ agents, shown }: { agents: AgentStore, shown: Shown }) {
  async function * pieces (reply: FastifyReply, owner: Id, tier: Tier, { kept, message }: Written) {
    const data = shown.agent({ ...kept, sources: [] }, tier)
    const text = withCountPlaceholder(reply.serialize({ status: 'success', message, data }) as string)
    const [before, after] = aroundList(text, 'knowledge_sources')
    const serialise = serialiserOf<KnowledgeSource>(reply, KnowledgeSource)
    const listed = (sources: readonly KnowledgeSourceRecord[]) =>
      sources.map((source) => serialise(shown.source(source, tier))).join()
    yield before
    // A newly created one already has all of them.
    for (let from = 0; from < kept.sources.length; from += SOURCES_AT_ONCE) {
      if (from > 0) await nextTurn()
      yield (from > 0 ? ',' : '') + listed(kept.sources.slice(from, from + SOURCES_AT_ONCE))
    }
    for await (const sources of sourcesAfter(agents, owner, kept)) yield `,${listed(sources)}`
    yield after
  }

  /**
   * The body of a response with an agent and all its sources: its bytes, or a stream if there are many. What is read in
   * slices may change between them.
   */
  return async (reply: FastifyReply, owner: Id, tier: Tier, written: Written): Promise<Buffer | Readable> => {
    const rest = pieces(reply, owner, tier, written)
    const made: Buffer[] = []
    for (let size = 0; size <= WHOLE;) {
      const { value, done } = await rest.next()
      if (done) return Buffer.concat(made)
      made.push(Buffer.from(value))
      size += made.at(-1)!.length
    }
    return Readable.from(after(made, rest), { objectMode: false })
  }
}

/** An agent, and what is said of it. */
interface Written { kept: AgentWithSources, message: string }

/** What was already built, then the rest. */
async function * after (made: Buffer[], rest: AsyncGenerator<string>) {
  yield Buffer.concat(made.splice(0))
  yield * rest
}
