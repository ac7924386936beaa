import type { AgentDraft, AgentPatch } from '../../schema/agents.ts'
import type { Permission } from '../../schema/access.ts'
import type { ActorKind } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import type { ConfigKind } from '../../schema/config.ts'
import { demand } from '../access/index.ts'
import { changed, havingTried, newAgent, type Author, type DefaultModel } from '../agents/index.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { inAuditContext, type AuditContext } from '../platform/storage/audit.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Form, DeclaredFiles } from './contract.ts'
import type { ConfigParts } from './current.ts'
import type { Contents } from './files/apart.ts'
import type { ConfigStore, Named } from './store.ts'

/** Who applies files. */
export interface Actor {
  author: Author
  user: Id | null
  by: ActorKind
  key: Id | null
}

/**
 * One thing by its key, and what is said of it. `agent`: the key of the agent that it belongs to; `expects`: the
 * numbers of sources that a question expects.
 */
export type Put =
  | { kind: 'agent', key: string, patch: AgentPatch }
  | {
    kind: 'source' | 'question'
    agent: string
    key: string
    form: Form
    content?: { text: string } | { plain: string }
    expects?: readonly Id[] | undefined
  }

/** The permissions needed to read and change objects of each group. */
export const NEEDED: Record<ConfigKind, Permission> = {
  business: 'CONFIGURE_BUSINESS',
  webhook: 'CONFIGURE_BUSINESS',
  connection: 'CONFIGURE_BUSINESS',
  action: 'MANAGE_AGENTS',
  agent: 'MANAGE_AGENTS',
  source: 'MANAGE_KNOWLEDGE_BASE',
  question: 'MANAGE_AGENTS'
}

/** What `put` makes and changes: agents as the interface does, sources and questions as files are applied. */
export function putting (
  { db, store, parts, model }: { db: Database, store: ConfigStore, model: DefaultModel, parts: ConfigParts },
  bring: (owner: Id, actor: Actor, given: DeclaredFiles, contents: Contents, named: Named) => Promise<Map<string, Id>>
) {
  /** As the interface changes an agent: what is published at once stays so. */
  async function putAgent (
    owner: Id, actor: Actor, { key, patch }: { key: string, patch: AgentPatch }, id: Id | undefined
  ): Promise<Id> {
    const doing = <T>(action: string, target: string, method: () => Promise<T>): Work<T> =>
      inAuditContext(contextOf(owner, actor, action, target, Object.keys(patch)), () => db.within(method))
    demand(actor.author.permissions, [NEEDED.agent], 'make and change agents')
    const author = await havingTried(actor.author, patch, id)
    if (id !== undefined) {
      await parts.agents.update(owner, id, (kept) => changed(kept, patch, author))
      return id
    }
    const lacking = (['name', 'systemPrompt'] as const).find((field) => patch[field] === undefined)
    if (lacking) throw invalid({ field: lacking, message: `${lacking} is needed to create an agent.` })
    const made = newAgent(patch as AgentDraft, model, author)
    return await db.atomically(function * () {
      // Somebody else has made it meanwhile.
      if ((yield * store.namedNow(owner, { agent: key })).length > 0) throw hasMoved([`agents/${key}`])
      const { answer } = yield * doing('createAgent', 'agents', () => parts.agents.create(owner, made))
      yield * store.rename(owner, [{ kind: 'agent', id: answer.agent.id, key }])
      return answer.agent.id
    })
  }

  async function putPart (
    owner: Id, actor: Actor, { kind, agent, key, content, ...thing }: Exclude<Put, { kind: 'agent' }>
  ): Promise<Id> {
    const { form, sources } = await withKeys(owner, agent, thing)
    const parent = `agents/${agent}`
    const place = `${parent}/${kind}s/${key}`
    const common = { isLocked: false, unset: [], file: '' }
    const isPlain = content !== undefined && 'plain' in content
    const said = isPlain ? { path: place } : content
    const given: DeclaredFiles = {
      manage: ['agents', 'questions'],
      objects: [
        { ...common, kind: 'agent', place: parent, key: agent, at: agent, form: {} },
        { ...common, kind, place, key, parent, at: key, form, ...(said && { content: said }) }
      ]
    }
    const contents = new Map(isPlain ? [[place, Buffer.from(`${content.plain}\n`)]] : [])
    return (await bring(owner, actor, given, contents, { agent, kind, key, sources })).get(place)!
  }

  /** What a question expects, by the keys of its sources. Refuses with VALIDATION_ERROR what has none. */
  async function withKeys (
    owner: Id, agent: string, { form, expects = [] }: { form: Form, expects?: readonly Id[] | undefined }
  ): Promise<{ form: Form, sources: readonly Id[] }> {
    if (expects.length === 0) return { form, sources: [] }
    const keys = new Map((await store.named(owner, { agent, sources: expects })).map(({ kind, id, key }) => [`${kind} ${id}`, key]))
    const sources = expects.map((id) => {
      const key = keys.get(`source ${id}`)
      if (key !== undefined) return key
      throw invalid({ field: 'expect.sources', message: `expect.sources: ${id} is not a source that this agent has a key for.` })
    })
    return { form: { ...form, expect: { ...form['expect'] as Form, sources } }, sources: expects }
  }

  return { putAgent, putPart }
}

/** The refusal if something has changed. */
export const hasMoved = (places: readonly string[]) => new Refusal(
  'precondition_failed', `Something has changed since this was planned: ${places.slice(0, 10).join(', ')}. Nothing was applied; plan again.`,
  { fields: { places: places.slice(0, 100) } }
)

/** Reads the id of what was created from the result; undefined if nothing is created. */
export function madeBy (action: string): AuditContext['madeId'] {
  if (action.startsWith('create')) return (made) => (made.agent ?? made).id
  return action.startsWith('add') ? (made) => made[0]?.id : undefined
}

/** The actor in the audit log. */
export const contextOf = (
  owner: Id, { user, by, key }: Actor, action: string, target: string, fields: readonly string[]
): AuditContext => ({
  owner,
  user,
  by,
  key,
  action,
  target,
  madeId: madeBy(action),
  fields: [...fields],
  state: 'pending'
})
