import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Id } from '../../schema/common.ts'
import { KnowledgeSource, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import { roomy } from './kept.ts'
import type { Shown } from './show.ts'
import { SOURCES_AT_ONCE, type AgentStore, type AgentWithSources } from './store.ts'

/** An answer up to this many bytes is sent whole, and may be kept; a longer one as it is made. */
const WHOLE = 2 ** 21
/** Where the sources of an agent stand in its answer. In a text of JSON a quote is escaped: nothing else looks so. */
const PLACE = '"knowledge_sources":['

/** What follows the sources of an agent that were read with it, in slices: others have their turn before each. */
export async function * sourcesAfter (
  agents: Pick<AgentStore, 'sources'>, owner: Id, { agent, sources, total }: AgentWithSources
): AsyncGenerator<KnowledgeSourceRecord[]> {
  if (sources.length >= total) return
  let slice: readonly KnowledgeSourceRecord[] = sources
  do {
    await new Promise(setImmediate)
    slice = await agents.sources(owner, agent.id, slice.at(-1)?.id ?? 0)
    if (slice.length > 0) yield [...slice]
  } while (slice.length === SOURCES_AT_ONCE)
}

/** Writes answers that show an agent with all that it knows. */
export function agentWriting ({ agents, shown }: { agents: AgentStore, shown: Shown }) {
  async function * pieces (reply: FastifyReply, owner: Id, tier: Tier, { kept, message }: Written) {
    const data = shown.agent({ ...kept, sources: [] }, tier)
    const text = roomy(reply.serialize({ status: 'success', message, data }) as string)
    const at = text.indexOf(PLACE) + PLACE.length
    const serialise = (reply.getSerializationFunction(KnowledgeSource) ??
      reply.compileSerializationSchema(KnowledgeSource)) as (source: KnowledgeSource) => string
    const listed = (sources: readonly KnowledgeSourceRecord[]) =>
      sources.map((source) => serialise(shown.source(source, tier))).join()
    yield text.slice(0, at) + listed(kept.sources)
    for await (const sources of sourcesAfter(agents, owner, kept)) yield `,${listed(sources)}`
    yield text.slice(at)
  }

  /**
   * The body of an answer with an agent, and what it knows to the last source: its bytes, or a stream of them where
   * there are many. What is read in slices may have changed between them.
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

/** What has been made, then the rest. */
async function * after (made: Buffer[], rest: AsyncGenerator<string>) {
  yield Buffer.concat(made.splice(0))
  yield * rest
}
