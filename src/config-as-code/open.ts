import { isDeepStrictEqual } from 'node:util'
import type { AgentPatch } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Keyed } from '../../schema/keyed.ts'
import {
  MANAGED, type Managed, type ConfigApplied, type ConfigApply, type ConfigDraft, type ConfigKind, type ConfigPlan,
  type ConfigPublished, type ConfigState
} from '../../schema/config.ts'
import { demand } from '../access/index.ts'
import type { AuditStore } from '../audit/index.ts'
import { defaultModelOf, havingTried, type Author } from '../agents/index.ts'
import type { BusinessRecord } from '../../schema/business.ts'
import type { SealChat } from '../business/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { inAuditContext, outsideAudit } from '../platform/storage/audit.ts'
import type { Work } from '../platform/storage/work.ts'
import { discardAll } from '../sources/index.ts'
import { openedChat } from '../webhooks/index.ts'
import { contentsOf, readApart, type Contents } from './files/apart.ts'
import type { Form, DeclaredFiles } from './contract.ts'
import type { CheckResult } from '../../schema/checks.ts'
import { GROUP_OF } from './files/format.ts'
import { currentOf, currentOfNamed, namesOf, type ConfigParts, type Current } from './current.ts'
import { driftOf } from './drift.ts'
import { keptAfter } from './kept.ts'
import { changesOf, planned, shownPlan, trainingOf, type Planned, type Step } from './plan.ts'
import { madeAhead } from './applying/ahead.ts'
import { preparedQuestions } from './applying/questions.ts'
import { staged } from './applying/staging.ts'
import { takeSteps, type Ahead } from './applying/steps.ts'
import { filesOf, type ConfigFileMade } from './files/write.ts'
import { contextOf, hasMoved, NEEDED, putting, type Actor, type Put } from './putting.ts'
import type { Named, Stamped } from './store.ts'
import { sqliteConfigStore } from './store.sqlite.ts'

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
   * `precondition_failed` if something has changed since the plan.
   */
  apply (owner: Id, actor: Actor, asked: ConfigApply): Promise<ConfigApplied>
  /** Publishes what applying left in drafts, each through its test questions. */
  publish (owner: Id, actor: Actor, places: readonly string[]): Promise<ConfigPublished[]>
  state (owner: Id): Promise<ConfigState>
  /** Refuses with `kept_in_code` a change to something that only files may change. */
  demandUnlocked (owner: Id, kind: ConfigKind, id: Id): Promise<void>
  /** By keys: the agents of an account, and what its actions are called. */
  keys (owner: Id): Promise<{ agents: Map<string, Id>, actions: Map<string, string> }>
  /**
   * Makes and changes given objects by key, as files are applied: all or nothing, agents in drafts. It locks nothing as
   * kept in code. Returns the objects' numbers, by place. Refuses as `apply`.
   */
  bring (owner: Id, actor: Actor, given: DeclaredFiles, contents: Contents): Promise<Map<string, Id>>
  /**
   * Makes or changes one object by its key; undefined if its parent does not exist. Refuses as `apply` does, and with
   * `kept_in_code` what only files may change.
   */
  put (owner: Id, actor: Actor, thing: Put): Promise<Keyed | undefined>
  /** Everything of an account that has a key. */
  listed (owner: Id): Promise<Keyed[]>
}

/** Steps that are soon taken: more of them let others have a turn in between. */
const FEW_STEPS = 20

/** A plan, its basis, and how that is read again inside the transaction that applies it. */
interface Taking { current: readonly Current[], plan: Planned, standing: (owner: Id) => Work<Stamped[]> }

/** What it needs of other features. */
interface ConfigFeatures extends Omit<ConfigParts, 'store'> {
  audit: AuditStore
  sealChat: (owner: Id) => SealChat
}

/** Decrypts the secret of a connection, or the address of a team's chat. */
function openingSecrets ({ actions, vault }: Pick<ConfigFeatures, 'actions'> & Pick<Kernel, 'vault'>) {
  return (owner: Id) => async ({ kind, id, record }: Current): Promise<string | null> => {
    if (kind === 'connection') return (await actions.connections.opened(owner, id))?.opened() ?? null
    const { team_chat_url: sealed } = record as BusinessRecord
    return sealed && openedChat(vault, owner, sealed)
  }
}

/** Opens it. */
export function openConfig (kernel: Kernel, features: ConfigFeatures): Config {
  const [{ db, clock }, { audit, sealChat }] = [kernel, features]
  const [store, model] = [sqliteConfigStore(kernel), defaultModelOf(kernel.config)]
  const parts = { ...kernel, ...features, store }
  const openedOf = openingSecrets(parts)

  /** Reads files and compares them with what is there. */
  async function look (owner: Id, actor: Actor, { files, secrets = {}, prune = false }: ConfigDraft) {
    const contents = contentsOf(files)
    const given = await readApart(contents)
    demandFor(actor, given.manage)
    return await compared(owner, given, { contents, secrets, isPruning: prune })
  }

  async function compared (
    owner: Id, given: DeclaredFiles, rest: { contents: Contents, secrets: Record<string, string>, isPruning: boolean }
  ) {
    const current = await currentOf(parts, owner)
    const kept = await store.kept(owner)
    const planning = { given, current, kept, model, openedOf: openedOf(owner), ...rest }
    return { given, current, kept, plan: await planned(planning) }
  }

  async function apply (owner: Id, actor: Actor, { plan: draft, if: digests, ref = '' }: ConfigApply) {
    const { given, current, kept, plan } = await look(owner, actor, draft)
    demandSame(plan.digests, digests)
    if (plan.missing.length > 0) throw missingSecrets(plan.missing)
    await take(owner, actor, { current, plan, standing: store.standingNow }, function * (ids, changing) {
      const at = timestamp(clock.micros())
      const standing = yield * store.standingNow(owner)
      yield * store.keep(owner, keptAfter({ owner, plan, ids, before: kept, standing, at, manage: given.manage }))
      const last = yield * store.lastNow(owner)
      if (changing > 0 || last?.ref !== ref) {
        yield * store.note(owner, { user: actor.user, by: actor.by, ref, changes: changing, at })
      }
    })
    return plan.steps
  }

  /** Applies a plan's steps in one transaction, then their follow-ups; returns the objects' numbers. */
  async function take (
    owner: Id, actor: Actor, { current, plan, standing }: Taking,
    then: (ids: ReadonlyMap<string, Id>, changing: number) => Work<void>
  ): Promise<Map<string, Id>> {
    const changing = plan.steps.filter(({ action }) => action === 'create' || action === 'change' || action === 'delete')
    for (const { kind } of changing) demand(actor.author.permissions, [NEEDED[kind]], `apply this: it changes ${GROUP_OF[kind]}`)
    const authors = await authorsOf(plan.steps, actor.author)
    const keys = keysOf(plan, current)
    const questions = await preparedQuestions(parts, plan.steps, keys)
    const sources = await outsideAudit(() => staged(parts, plan.steps))
    const authorOf = (place: string) => authors.get(place) ?? actor.author
    const now = () => timestamp(clock.micros())
    const given = { parts, owner, authorOf, model, now, seal: sealChat(owner), sources, questions, keys }
    let ahead: Ahead = { ids: new Map(), agents: [], done: [] }
    try {
      ahead = await madeAhead(plan.steps, { current, db, context: contextOf(owner, actor, 'applyConfig', 'config', []) }, given)
      return await db.atomically(function * () {
        demandSame(stampsOf(plan, yield * standing(owner)), plan.digests)
        const ids = yield * takeSteps(plan.steps, ahead, {
          ...given,
          doing: (action, target, fields, method) =>
            inAuditContext(contextOf(owner, actor, action, target, fields), () => db.within(method)),
          noting: (done) =>
            audit.addAll(done.map(({ action, target, fields }) => contextOf(owner, actor, action, target, fields)))
        })
        yield * then(ids, changing.length)
        return ids
      }, { isLong: plan.steps.length > FEW_STEPS })
    } catch (error) {
      parts.agents.giveUp(owner, ahead.agents)
      await outsideAudit(() => discardAll(parts.knowledge.blobs, [...sources.values()]))
      throw error
    }
  }

  /** As `bring`, of one thing of an agent alone. */
  async function bringOne (
    owner: Id, actor: Actor, given: DeclaredFiles, contents: Contents, named: Named
  ): Promise<Map<string, Id>> {
    const current = await currentOfNamed(parts, owner, named)
    const plan = await planned({
      given, current, kept: [], model, openedOf: openedOf(owner), contents, secrets: {}, isPruning: false
    })
    return await take(owner, actor, { current, plan, standing: (of) => store.namedNow(of, named) }, function * () {})
  }

  const { putAgent, putPart } = putting({ db, store, parts, model }, bringOne)

  async function publish (owner: Id, actor: Actor, places: readonly string[]): Promise<ConfigPublished[]> {
    const published: ConfigPublished[] = []
    for (const { kind, id, key } of await store.standing(owner)) {
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
      // Callers of this may read agents and actions without further permissions; settings need more.
      const maySettings = actor.author.permissions.includes(NEEDED.business)
      const manage = agent === undefined
        ? MANAGED.filter((group) => maySettings || (group !== 'business' && group !== 'webhooks'))
        : ['agents', 'questions'] as const
      const locks = new Map((await store.kept(owner)).map(({ kind, id, isLocked }) => [`${kind} ${id}`, isLocked]))
      return filesOf(await currentOf(parts, owner), { agent, manage, locks })
    },
    async plan (owner, actor, draft) {
      const { plan, kept } = await look(owner, actor, draft)
      return await shownPlan(plan, await driftOf(audit, owner, kept, await store.standing(owner)))
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
    async keys (owner) {
      const called = new Map((await parts.actions.actions.list(owner)).map(({ id, name }) => [id, name]))
      const standing = await store.standing(owner)
      return {
        agents: new Map(standing.flatMap(({ kind, key, id }) => kind === 'agent' ? [[key, id] as const] : [])),
        actions: new Map(
          standing.flatMap(({ kind, key, id }) => kind === 'action' ? [[key, called.get(id) ?? ''] as const] : [])
        )
      }
    },
    async bring (owner, actor, given, contents) {
      demandFor(actor, given.manage)
      const found = await compared(owner, given, { contents, secrets: {}, isPruning: false })
      return await take(owner, actor, { ...found, standing: store.standingNow }, function * () {})
    },
    listed: async (owner) => keyedOf(await store.standing(owner)),
    async put (owner, actor, thing) {
      const named: Named = thing.kind === 'agent' ? { agent: thing.key } : { ...thing, sources: [] }
      const standing = await store.named(owner, named)
      const home = standing.find(({ kind }) => kind === 'agent')
      if (thing.kind !== 'agent' && home === undefined) return undefined
      const before = thing.kind === 'agent' ? home : standing.find(({ kind }) => kind === thing.kind)
      const locked = before ?? home
      if (locked) await this.demandUnlocked(owner, locked.kind, locked.id)
      const { kind, key } = thing
      const done = { kind, key, created: before === undefined }
      if (kind === 'agent') return { ...done, id: await putAgent(owner, actor, thing, before?.id), agent: null }
      return { ...done, id: await putPart(owner, actor, thing), agent: thing.agent }
    },
    async state (owner) {
      const kept = (await store.kept(owner)).filter(({ file }) => file !== '')
      let training = 0
      for (const { kind, id } of kept) if (kind === 'agent') training += await parts.knowledge.store.training(owner, id)
      return {
        last: await store.last(owner),
        drift: await driftOf(audit, owner, kept, await store.standing(owner)),
        kept: kept.map(({ place, kind, id, file, isLocked }) => ({ place, kind, id: kind === 'business' ? null : id, file, is_locked: isLocked })),
        training
      }
    },
    async demandUnlocked (owner, kind, id) {
      const file = await store.lockOf(owner, kind, id)
      if (file === undefined) return
      throw new Refusal('kept_in_code', `This is kept in code: change ${file} and apply it, or take "lock: true" out of it.`, { fields: { file } })
    }
  }
}

/** Who changes agents of which files change the guard rules, by their places: these are tried before a transaction. */
async function authorsOf (steps: readonly Step[], author: Author): Promise<Map<string, Author>> {
  const authors = new Map<string, Author>()
  for (const { kind, action, place, current, next } of steps) {
    if (kind !== 'agent' || (action !== 'create' && action !== 'change')) continue
    const rules = (form: Form | undefined) => (form?.['behavior'] as AgentPatch['behavior'])?.guardRules ?? []
    const isSame = isDeepStrictEqual(rules(current?.form), rules(next))
    const changing = { behavior: { guardRules: rules(next) } }
    authors.set(place, isSame ? author : await havingTried(author, changing, current?.id))
  }
  return authors
}

/** Objects with a key, as the API shows them. */
function keyedOf (standing: readonly Stamped[]): Keyed[] {
  const { key: keyOf } = namesOf(standing)
  return standing.flatMap(({ kind, key, id, parent }) => {
    if (kind !== 'agent' && kind !== 'source' && kind !== 'question') return []
    return [{ kind, key, id, agent: parent === null ? null : keyOf('agent', parent) ?? null, created: false }]
  })
}

function demandFor ({ author: { permissions } }: Actor, manage: readonly Managed[]) {
  for (const [kind, permission] of Object.entries(NEEDED)) {
    const group = GROUP_OF[kind as ConfigKind]
    if (manage.includes(group)) demand(permissions, [permission], `keep ${group} in files`)
  }
}

/** Refuses with `precondition_failed` if something has changed. */
function demandSame (now: Readonly<Record<string, string>>, then: Readonly<Record<string, string>>) {
  const before = (place: string) => Object.hasOwn(then, place) ? then[place] : undefined
  const moved = Object.keys(now).filter((place) => now[place] !== before(place))
  if (moved.length > 0) throw hasMoved(moved)
}

/** The current state of everything a plan was based on. */
function stampsOf ({ steps, digests }: Planned, standing: readonly Stamped[]): Record<string, string> {
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
