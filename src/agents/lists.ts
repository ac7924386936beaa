import { Readable } from 'node:stream'
import type { Agent } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Caller } from '../access/index.ts'
import type { Cursor } from '../platform/http/resources/cursors.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { Plans } from '../plans/index.ts'
import { withCountPlaceholder, type KeptAnswers } from './kept.ts'
import type { Shown } from './show.ts'
import type { AgentFilter, AgentStore, AgentWithSources } from './store.ts'

/** The query of a list. */
export interface ListQuery extends AgentFilter { page?: number, limit?: number, cursor?: string }

/** A list ready to be sent. */
export interface ListAnswer {
  tag: string
  /** The whole body, or a stream of it where there are many agents. */
  body: Buffer | Readable
  link?: string
}

const DEFAULT_LIMIT = 20
/** An unpaged list of up to about this many bytes is sent at once, and cached. */
const WHOLE = 131_072
/**
 * A longer one is streamed in pieces of about this many bytes or agents, so that others wait no longer than one piece
 * takes, and a slow reader holds only a few in memory.
 */
const PIECE = 65_536
const SLICE = 25
/** Cached totals; a miss costs one query. */
const TOTALS = 10_000

/** What encloses the agents of a list. */
interface Frame { head: string, tail: string }

/** Builds lists, and caches those that are small enough. */
export function agentLists ({
  agents, plans, shown, kept
}: {
  agents: AgentStore, plans: Plans, shown: Shown, kept: KeptAnswers
}) {
  const totals = new Map<string, { revision: number, total: number }>()
  const scopes = new WeakMap<Caller, string>()

  /** What the lists of a caller depend on; assembled once, because every request needs it. */
  function scopeOf (caller: Caller): string {
    const {
      account: { id, tier }, permissions
    } = caller
    const known = scopes.get(caller) ?? `${id} ${tier} ${permissions.join()} `
    scopes.set(caller, known)
    return known
  }

  function frame (
    { permissions, account }: Caller, part?: { pagination?: object, next_cursor: string | null }
  ): Frame {
    return {
      head: '{"status":"success","message":"Agents retrieved successfully","data":[',
      tail:
        '],' +
        JSON.stringify({
          features: plans.features(account.tier), permissions, ...part
        }).slice(1)
    }
  }

  /**
   * Counting a hundred thousand agents takes longer than reading a page of them, and clients request the count with
   * every page.
   */
  async function totalOf (owner: Id, revision: number, filter: AgentFilter): Promise<number> {
    const name = `${owner} ${new URLSearchParams(filter as Record<string, string>)}`
    const known = totals.get(name)
    if (known?.revision === revision) return known.total
    const total = await agents.count(owner, filter)
    if (totals.size >= TOTALS) totals.clear()
    if (await agents.revision(owner) === revision) totals.set(name, { revision, total })
    return total
  }

  async function paged (
    caller: Caller,
    revision: number,
    { page = 1, limit = DEFAULT_LIMIT, ...filter }: ListQuery,
    { next }: Cursor,
    serialise: (agent: Agent) => string
  ) {
    const total = await totalOf(caller.account.id, revision, filter)
    const items = await agents.page(caller.account.id, filter, (page - 1) * limit, limit)
    const pages = Math.ceil(total / limit)
    const last = page < pages ? items.at(-1) : undefined
    return {
      ...written(
        caller, items, { pagination: { page, limit, total, pages }, next_cursor: nextOf(next, last) }, serialise
      ),
      link: links(filter, page, limit, Math.max(pages, 1))
    }
  }

  /** The page after an agent: nothing is counted, and agents added or removed meanwhile do not shift others. */
  async function following (
    caller: Caller,
    after: Id,
    { limit = DEFAULT_LIMIT, page: _page, cursor: _cursor, ...filter }: ListQuery,
    { next }: Cursor,
    serialise: (agent: Agent) => string
  ) {
    const found = await agents.slice(caller.account.id, filter, after, limit + 1)
    const items = found.slice(0, limit)
    const cursor = nextOf(next, found.length > limit ? items.at(-1) : undefined)
    return {
      ...written(caller, items, { next_cursor: cursor }, serialise),
      link: [linkTo(filter, limit, { page: '1' }, 'first'), ...(cursor ? [linkTo(filter, limit, { cursor }, 'next')] : [])]
        .join(', ')
    }
  }

  const nextOf = (next: Cursor['next'], last: AgentWithSources | undefined) =>
    next(last === undefined ? null : String(last.agent.id))

  function written (
    caller: Caller,
    items: AgentWithSources[],
    part: { pagination?: object, next_cursor: string | null },
    serialise: (agent: Agent) => string
  ) {
    const { head, tail } = frame(caller, part)
    return {
      body: Buffer.from(
        head + withCountPlaceholder(
          items.map((item) => serialise(shown.agent(item, caller.account.tier))).join()
        ) + tail
      ),
      ids: items.map(({ agent }) => agent.id)
    }
  }

  async function whole (caller: Caller, filter: AgentFilter, serialise: (agent: Agent) => string) {
    const ids: Id[] = []
    const rest = pieces(caller, filter, serialise, ids)
    let start = ''
    // All of this in one turn of the event loop, so that a short list shows one state.
    while (start.length <= WHOLE) {
      const { value, done } = await rest.next()
      if (done) return { body: Buffer.from(start), ids }
      start += value
    }
    return { body: Readable.from(inTurns(start, rest), { objectMode: false }), ids }
  }

  async function * pieces (caller: Caller, filter: AgentFilter, serialise: (agent: Agent) => string, ids: Id[]) {
    const { head, tail } = frame(caller)
    yield head
    for (let after = 0, rows = SLICE, more = true; more;) {
      const slice = await agents.slice(caller.account.id, filter, after, rows)
      let text = withCountPlaceholder(slice.map((item) => serialise(shown.agent(item, caller.account.tier))).join())
      if (after && text) text = ',' + text
      more = slice.length === rows
      after = slice.at(-1)?.agent.id ?? after
      rows = Math.max(1, Math.min(SLICE, Math.floor((PIECE * rows) / text.length)))
      ids.push(...slice.map(({ agent }) => agent.id))
      // The slice is not held in memory while waiting for a reader.
      slice.length = 0
      yield text
    }
    yield tail
  }

  return {
    /** The cache key of a list: everything its response depends on but the revision. */
    name (caller: Caller, query: ListQuery): string {
      const scope = scopeOf(caller)
      return Object.keys(query).length === 0 ? scope : scope + new URLSearchParams(query as Record<string, string>)
    },

    /** Builds the list, and caches it if it is small enough. */
    async make (
      name: string, revision: number, caller: Caller,
      { query, cursor, serialise }: { query: ListQuery, cursor: Cursor, serialise: (agent: Agent) => string }
    ): Promise<ListAnswer> {
      const { page, limit, cursor: _cursor, ...filter } = query
      // Read before anything else: if it changes meanwhile, the counts are looked up again.
      const tally = await agents.tally(caller.account.id) ?? 0
      const part = async () => cursor.after === undefined
        ? await paged(caller, revision, query, cursor, serialise)
        : await following(caller, Number(cursor.after), query, cursor, serialise)
      const made = page === undefined && limit === undefined && cursor.after === undefined
        ? await whole(caller, filter, serialise)
        : await part()
      const tagWith = (counted: number) => shown.listTag(revision, counted, caller.account.tier, name)
      const answer = { ...made, tally, tagWith, tag: tagWith(tally) }
      // A change meanwhile would be cached under the revision from before it.
      if (answer.body instanceof Buffer && await agents.revision(caller.account.id) === revision) {
        kept.keep(name, revision, { ...answer, body: answer.body })
      }
      return answer
    }
  }
}

function linkTo (filter: AgentFilter, limit: number, place: Record<string, string>, rel: string): string {
  return `</v1/agents/?${new URLSearchParams({ ...filter, ...place, limit: String(limit) })}>; rel="${rel}"`
}

function links (filter: AgentFilter, page: number, limit: number, last: number): string {
  const to = (target: number, rel: string) => linkTo(filter, limit, { page: String(target) }, rel)
  return [
    to(1, 'first'),
    ...(page > 1 ? [to(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next')] : []),
    to(last, 'last')
  ].join(', ')
}

/** What was already built, then the rest, in separate turns of the event loop. */
async function * inTurns (start: string, rest: AsyncGenerator<string>) {
  const made = [start]
  start = ''
  yield made.pop()!
  for await (const piece of rest) {
    await nextTurn()
    yield piece
  }
}
