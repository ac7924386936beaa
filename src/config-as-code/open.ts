import type { Permission } from '../../schema/access.ts'
import type { ActorKind } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import {
  MANAGED, type Managed, type ConfigApplied, type ConfigApply, type ConfigDraft, type ConfigKind, type ConfigPlan,
  type ConfigPublished, type ConfigState
} from '../../schema/config.ts'
import { demand } from '../access/index.ts'
import type { AuditStore } from '../audit/index.ts'
import type { Author, DefaultModel } from '../agents/index.ts'
import type { BusinessRecord } from '../../schema/business.ts'
import type { SealChat } from '../business/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { inAuditContext, outsideAudit, type AuditContext } from '../platform/storage/audit.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Vault } from '../platform/storage/vault.ts'
import { discardAll } from '../sources/index.ts'
import { openedChat } from '../webhooks/index.ts'
import { contentsOf, readApart } from './files/apart.ts'
import type { CheckResult } from '../../schema/checks.ts'
import { GROUP_OF } from './files/format.ts'
import { currentOf, namesOf, type ConfigParts, type Current } from './current.ts'
import { driftOf } from './drift.ts'
import { keptAfter } from './kept.ts'
import { changesOf, planned, shownPlan, trainingOf, type Planned } from './plan.ts'
import { staged } from './staging.ts'
import { takeSteps } from './steps.ts'
import { filesOf, type ConfigFileMade } from './files/write.ts'
import type { Standing } from './store.ts'

/** Who applies files. */
export interface Actor {
  author: Author
  user: Id | null
  by: ActorKind
  key: Id | null
}

/** An account as files: exported, compared and applied. */
export interface Config {
  /**
   * The files that an account becomes, in the order of their names, without settings that the actor may not read.
   * `agent`: only this one, by its key.
   */
  exported (owner: Id, actor: Actor, agent?: string): Promise<ConfigFileMade[]>
  /** What applying files would do; changes nothing. Refuses with VALIDATION_ERROR what is wrong with them. */
  plan (owner: Id, actor: Actor, draft: ConfigDraft): Promise<ConfigPlan>
  /**
   * Applies files: all or nothing. Refuses as `plan`, with `permission_denied` before anything is done, and with
   * `precondition_failed` where something is another than it was planned with.
   */
  apply (owner: Id, actor: Actor, asked: ConfigApply): Promise<ConfigApplied>
  /** Publishes what applying left in drafts, each through its test questions. */
  publish (owner: Id, actor: Actor, places: readonly string[]): Promise<ConfigPublished[]>
  state (owner: Id): Promise<ConfigState>
  /** Refuses with `kept_in_code` a change of something that files alone change. */
  demandUnlocked (owner: Id, kind: ConfigKind, id: Id): void
}

interface OpenParts extends ConfigParts {
  db: Database
  clock: Clock
  vault: Vault
  audit: AuditStore
  sealChat: (owner: Id) => SealChat
  model: DefaultModel
}

/** The permissions that things of each group need to be read and changed. */
const NEEDED: Record<ConfigKind, Permission> = {
  business: 'CONFIGURE_BUSINESS',
  webhook: 'CONFIGURE_BUSINESS',
  connection: 'CONFIGURE_BUSINESS',
  action: 'MANAGE_AGENTS',
  agent: 'MANAGE_AGENTS',
  source: 'MANAGE_KNOWLEDGE_BASE',
  question: 'MANAGE_AGENTS'
}

/** Opens it on the stores' parts. */
export function openConfig (parts: OpenParts): Config {
  const { db, clock, vault, audit, store, model, sealChat } = parts
  const openedOf = (owner: Id) => async ({ kind, id, record }: Current): Promise<string | null> => {
    if (kind === 'connection') return (await parts.actions.connections.opened(owner, id))?.opened() ?? null
    const { team_chat_url: sealed } = record as BusinessRecord
    return sealed && openedChat(vault, owner, sealed)
  }

  /** Reads files and compares them with what is there. */
  async function look (owner: Id, actor: Actor, { files, secrets = {}, prune = false }: ConfigDraft) {
    const contents = contentsOf(files)
    const given = await readApart(contents)
    demandFor(actor, given.manage)
    const current = await currentOf(parts, owner)
    const kept = store.kept(owner)
    const plan = await planned({
      given, contents, current, kept, secrets, isPruning: prune, model, openedOf: openedOf(owner)
    })
    return { given, current, kept, plan }
  }

  async function apply (owner: Id, actor: Actor, { plan: draft, if: digests, ref = '' }: ConfigApply) {
    const { given, current, kept, plan } = await look(owner, actor, draft)
    demandSame(plan.digests, digests)
    if (plan.missing.length > 0) throw missingSecrets(plan.missing)
    const changing = plan.steps.filter(({ action }) => action === 'create' || action === 'change' || action === 'delete')
    for (const { kind } of changing) demand(actor.author.permissions, [NEEDED[kind]], `apply these files: they change ${GROUP_OF[kind]}`)
    const sources = await outsideAudit(() => staged(parts, plan.steps))
    try {
      await db.atomically(() => {
        demandSame(stampsOf(plan, store.standing(owner)), plan.digests)
        const ids = takeSteps(plan.steps, {
          parts,
          owner,
          author: actor.author,
          model,
          now: () => timestamp(clock.micros()),
          seal: sealChat(owner),
          sources,
          keys: keysOf(plan, current),
          doing: (action, target, fields, method) =>
            inAuditContext(contextOf(owner, actor, action, target, fields), () => db.within(method))
        })
        const at = timestamp(clock.micros())
        const standing = store.standing(owner)
        store.keep(owner, keptAfter({ owner, plan, ids, before: kept, standing, at, manage: given.manage }))
        const last = store.last(owner)
        if (changing.length > 0 || last?.ref !== ref) {
          store.note(owner, { user: actor.user, by: actor.by, ref, changes: changing.length, at })
        }
        return true
      })
    } catch (error) {
      await outsideAudit(() => discardAll(parts.knowledge.blobs, [...sources.values()]))
      throw error
    }
    return plan.steps
  }

  async function publish (owner: Id, actor: Actor, places: readonly string[]): Promise<ConfigPublished[]> {
    const published: ConfigPublished[] = []
    for (const { kind, id, key } of store.standing(owner)) {
      const place = `agents/${key}`
      if (kind !== 'agent' || !places.includes(place) || !(await parts.agents.get(owner, id))?.agent.draft) continue
      published.push({ place, ...await publishOne(owner, actor, id) })
    }
    return published
  }

  async function publishOne (owner: Id, actor: Actor, id: Id): Promise<Omit<ConfigPublished, 'place'>> {
    try {
      const asked = await parts.checks.gate(owner, id, false)
      const done = await inAuditContext(contextOf(owner, actor, 'publishAgent', `agents/${id}/publish`, []), () =>
        parts.agents.publish(owner, id, { note: 'Kept in code', drafts: [asked?.draft] }))
      return { version: done?.answer.number ?? null, why: null }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message, fields } = error
      const questions = (fields['questions'] ?? []) as CheckResult[]
      return {
        version: null,
        why: {
          code,
          message,
          questions: questions.map(({ text, verdict, why }) => (
            { text, verdict, why: why.map((one) => one.message).join(' ') }
          ))
        }
      }
    }
  }

  return {
    async exported (owner, actor, agent) {
      // What is read of agents and actions by whoever may call this needs no more; settings do.
      const maySettings = actor.author.permissions.includes(NEEDED.business)
      const manage = agent === undefined
        ? MANAGED.filter((group) => maySettings || (group !== 'business' && group !== 'webhooks'))
        : ['agents', 'questions'] as const
      const locks = new Map(store.kept(owner).map(({ kind, id, isLocked }) => [`${kind} ${id}`, isLocked]))
      return filesOf(await currentOf(parts, owner), { agent, manage, locks })
    },
    async plan (owner, actor, draft) {
      const { plan, kept } = await look(owner, actor, draft)
      return shownPlan(plan, await driftOf(audit, owner, kept, store.standing(owner)))
    },
    async apply (owner, actor, asked) {
      const steps = await apply(owner, actor, asked)
      const agents = steps.filter(({ kind, action }) => kind === 'agent' && action !== 'unmanaged' && action !== 'delete')
      return {
        changes: changesOf(steps),
        training: trainingOf(steps),
        published: asked.publish ? await publish(owner, actor, agents.map(({ place }) => place)) : []
      }
    },
    publish,
    async state (owner) {
      const kept = store.kept(owner).filter(({ file }) => file !== '')
      let training = 0
      for (const { kind, id } of kept) if (kind === 'agent') training += await parts.knowledge.store.training(owner, id)
      return {
        last: store.last(owner),
        drift: await driftOf(audit, owner, kept, store.standing(owner)),
        kept: kept.map(({ place, kind, id, file, isLocked }) => ({ place, kind, id: kind === 'business' ? null : id, file, is_locked: isLocked })),
        training
      }
    },
    demandUnlocked (owner, kind, id) {
      const file = store.lockOf(owner, kind, id)
      if (file === undefined) return
      throw new Refusal('kept_in_code', `This is kept in code: change ${file} and apply it, or take "lock: true" out of it.`, { fields: { file } })
    }
  }
}

function demandFor ({ author: { permissions } }: Actor, manage: readonly Managed[]) {
  for (const [kind, permission] of Object.entries(NEEDED)) {
    const group = GROUP_OF[kind as ConfigKind]
    if (manage.includes(group)) demand(permissions, [permission], `keep ${group} in files`)
  }
}

/** Refuses with `precondition_failed` where something is another than it was. */
function demandSame (now: Readonly<Record<string, string>>, then: Readonly<Record<string, string>>) {
  const before = (place: string) => Object.hasOwn(then, place) ? then[place] : undefined
  const moved = Object.keys(now).filter((place) => now[place] !== before(place))
  if (moved.length === 0) return
  throw new Refusal(
    'precondition_failed', `Something has changed since this was planned: ${moved.slice(0, 10).join(', ')}. Nothing was applied; plan again.`,
    { fields: { places: moved.slice(0, 100) } }
  )
}

/** How everything is now that a plan was made of. */
function stampsOf ({ steps, digests }: Planned, standing: readonly Standing[]): Record<string, string> {
  const now = new Map(standing.map((one) => [`${one.kind} ${one.id}`, one]))
  const names = namesOf(standing)
  const byPlace = new Map(standing.map((one) => [names.place(one), one]))
  const read = steps.filter(({ place }) => Object.hasOwn(digests, place))
  return Object.fromEntries(read.map(({ place, kind, current }) => [
    place, (current ? now.get(`${kind} ${current.id}`)?.stamp : byPlace.get(place)?.stamp) ?? (current && kind !== 'business' ? 'gone' : '')
  ]))
}

/** Numbers of what is there by the places that it has in files, an agent's by the key that it is to have. */
function keysOf ({ steps }: Planned, current: readonly Current[]): Map<string, Id> {
  const homes = new Map(steps.flatMap(({ kind, place, current: one }) => kind === 'agent' && one ? [[one.place, place] as const] : []))
  return new Map(current.map(({ place, home, id }) =>
    [home !== null && homes.has(home) && place.startsWith(`${home}/`) ? homes.get(home)! + place.slice(home.length) : place, id]))
}

function missingSecrets (missing: readonly string[]): Refusal {
  return invalid(...missing.map((name) => ({
    field: 'plan.secrets',
    message: name.endsWith(': keep')
      ? `${name.slice(0, -': keep'.length)} keeps a secret, and there is none yet. Name it with { env: NAME }.`
      : `The secret ${name} is missing: set it in the environment, or send it in secrets.`
  })))
}

const contextOf = (
  owner: Id, { user, by, key }: Actor, action: string, target: string, fields: readonly string[]
): AuditContext => ({
  owner,
  user,
  by,
  key,
  action,
  target,
  madeId: action.startsWith('create') ? (made) => (made.agent ?? made).id : action.startsWith('add') ? (made) => made[0]?.id : undefined,
  fields: [...fields],
  state: 'pending'
})
