import type { Id } from '../../../schema/common.ts'
import type { Import, ImportAgent, ImportCounts, ImportItem, ImportKind, ImportRecord } from '../../../schema/imports.ts'
import type { Actor, Config } from '../../config-as-code/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { stageText } from '../../sources/index.ts'
import { planApart } from '../apart.ts'
import type { Plan, PlannedAgent } from '../contract.ts'
import { OUTCOMES, type Item } from '../ledger.ts'
import { reasonOf } from '../reasons.ts'
import { agentKey, broughtBy, keyOf, type Home } from './given.ts'
import { LOOK_INTO } from './store.sqlite.ts'
import { summaryOf, type ImportStore } from './store.ts'
import { fromKeys } from '../../../schema/typed.ts'

/** How much of a plan and its report is shown at once; the whole report can be downloaded. */
const SHOWN = { items: 1000, value: 500, sources: 200, prompt: 2000 }
const DAY_MS = 86_400_000
/** The order of report lines: those that require action come first. */
const FIRST: ReadonlyArray<Item['outcome']> = ['not_carried', 'changed', 'carried', 'ignored']

/** The target agent: undefined: by its key; null: a new one; otherwise this one. */
export type Into = Id | null | undefined

/** Imports from other products. */
export interface Imports {
  store: ImportStore
  /** An import with its plan and its report, as far as they are shown; undefined if there is none. */
  shown (owner: Id, id: Id): Promise<Import | undefined>
  /** The whole report, piece by piece; undefined if there is none yet. */
  report (owner: Id, id: Id): Promise<AsyncGenerator<Buffer> | undefined>
  /**
   * Creates draft agents from an import; repeated, it changes them. Refuses with `not_planned` if it was not analysed
   * yet or nothing was found in it, with `gone` if the files have expired.
   */
  apply (owner: Id, actor: Actor, id: Id, into: Into): Promise<Import | undefined>
  /** The same for a given plan; returns the numbers of its agents, each with its planned number of sources. */
  bring (owner: Id, actor: Actor, plan: Plan, into?: Into): Promise<Id[]>
}

/** Opens them on their store; the worker analyses files from then on. */
export function openImports (
  { worker }: Kernel, { store, config, blobs }: { store: ImportStore, config: Config, blobs: Blobs }
): Imports {
  async function filesOf ({ files }: ImportRecord): Promise<Array<[name: string, bytes: Buffer]>> {
    const read: Array<[name: string, bytes: Buffer]> = []
    for (const { name, blob } of files) read.push([name, await wholeOf(blobs, blob)])
    return read
  }

  async function planOf (kept: ImportRecord, signal?: AbortSignal): Promise<Plan> {
    const waiting = { holder: kept.owner, ...(signal && { signal }) }
    return await planApart(await filesOf(kept), kept.from ?? undefined, waiting)
  }

  async function look (id: Id, signal: AbortSignal) {
    const kept = await store.waiting(id)
    if (!kept) return
    try {
      const plan = await planOf(kept, signal)
      const shown = await stageText(blobs, JSON.stringify(shownOf(plan)))
      const report = await stageText(blobs, reportOf(plan))
      const kind = plan.kind as ImportKind
      await store.looked(id, { kind, counts: countsOf(plan), shown: shown.blob, report: report.blob })
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'storage_full') throw error
      await store.looked(id, { error: { code: error.code, message: error.message } })
    }
  }

  worker.handle(LOOK_INTO, {
    async run ({ subject }, signal) {
      await look(subject, signal)
      return { done: true }
    },
    tries: 3,
    givenUp: ({ subject }) => store.looked(subject, { error: { code: 'internal_error', message: GAVE_UP } })
  })
  worker.every('imports.expire', DAY_MS, async (signal) => {
    while (!signal.aborted && await store.expire());
  })

  async function shown (owner: Id, id: Id): Promise<Import | undefined> {
    const kept = await store.get(owner, id)
    if (!kept) return undefined
    if (kept.shown === null) return { ...summaryOf(kept), plan: null, report: [] }
    const { agents, report } = JSON.parse((await wholeOf(blobs, kept.shown)).toString()) as Shown
    const { agents: known } = await config.keys(owner)
    return {
      ...summaryOf(kept),
      plan: {
        agents: agents.map(({ key, ...agent }, i) => ({ ...agent, agent: kept.agents[i] ?? known.get(key) ?? null }))
      },
      report
    }
  }

  async function bring (owner: Id, actor: Actor, plan: Plan, into: Into): Promise<Id[]> {
    if (plan.agents.length === 0) {
      throw new Refusal('VALIDATION_ERROR', 'No agent can be made from this; the report says why.')
    }
    const { agents, actions } = await config.keys(owner)
    const homes = homesOf(plan, agents, into)
    for (const { key } of homes) if (agents.has(key)) await config.demandUnlocked(owner, 'agent', agents.get(key)!)
    const { given, contents } = broughtBy(plan, homes, actions)
    const ids = await config.bring(owner, actor, given, contents)
    return homes.map(({ key }) => ids.get(`agents/${key}`)!)
  }

  return {
    store,
    shown,
    async report (owner, id) {
      const kept = await store.get(owner, id)
      return kept?.report == null ? undefined : blobs.read(kept.report)
    },
    bring,
    async apply (owner, actor, id, into) {
      const kept = await store.get(owner, id)
      if (!kept) return undefined
      if (kept.state === 'read' || kept.state === 'failed') throw notPlanned(kept)
      if (kept.expires_at === null) throw new Refusal('gone', 'The files of this import have been deleted. Upload them again.')
      const agents = await bring(owner, actor, await planOf(kept), into)
      return await store.applied(owner, id, agents) && await shown(owner, id)
    }
  }
}

const GAVE_UP = 'The files could not be read. Upload them again; if it keeps failing, report it.'

function notPlanned ({ state, error }: ImportRecord): Refusal {
  return new Refusal('not_planned', state === 'read'
    ? 'The files of this import are still being read. Try again in a moment.'
    : `Nothing can be made from this import: ${error?.message ?? ''}`.trim())
}

/** The target of each agent of a plan. Refuses with VALIDATION_ERROR the same one for several, and missing ones. */
function homesOf ({ kind, agents: planned }: Plan, agents: ReadonlyMap<string, Id>, into: Into): Home[] {
  if (typeof into === 'number') {
    const [key] = [...agents].find(([, id]) => id === into) ?? []
    if (key === undefined) throw invalid({ field: 'agent', message: 'agent is not an agent of this account.' })
    if (planned.length > 1) {
      throw invalid({
        field: 'agent',
        message: `There are ${planned.length} agents in this import; leave agent out, and each becomes a separate one.`
      })
    }
    return [{ key, isThere: true, isChosen: true }]
  }
  const isNew = into === null
  const taken = new Set<string>()
  const isTaken = (key: string) => taken.has(key) || (isNew && agents.has(key))
  return planned.map((agent) => {
    const base = agentKey(kind, agent)
    let key = base
    // Two of the same key in one import are distinct; a new one must not match an existing one.
    for (let n = 2; isTaken(key); n++) key = keyOf(base, String(n))
    taken.add(key)
    return { key, isThere: agents.has(key), isChosen: false }
  })
}

/** The part of a plan that is stored for display. */
interface Shown { agents: Array<Omit<ImportAgent, 'agent'> & { key: string }>, report: ImportItem[] }

function shownOf (plan: Plan): Shown {
  const sorted = FIRST.flatMap((outcome) => plan.report.filter((item) => item.outcome === outcome))
  const report = sorted.slice(0, SHOWN.items)
  return { agents: plan.agents.map((agent) => shownAgent(plan.kind, agent)), report: report.map(shownItem) }
}

function shownAgent (kind: string, agent: PlannedAgent): Shown['agents'][number] {
  const { fields: { name, systemPrompt }, sources, actions = [] } = agent
  return {
    key: agentKey(kind, agent),
    name,
    system_prompt: systemPrompt.slice(0, SHOWN.prompt),
    sources: sources.slice(0, SHOWN.sources).map(({ title, type, folder = [] }) => ({ title, type, folder })),
    source_count: sources.length,
    question_count: new Set(sources.flatMap(({ asks = [] }) => asks)).size,
    actions: actions.map(({ draft: { title } }) => title)
  }
}

function shownItem ({ at, outcome, to, why, value }: Item): ImportItem {
  const said = value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
  const reason = reasonOf(why) ?? null
  const kept = said?.slice(0, SHOWN.value).toWellFormed() ?? null
  return { at, outcome, to: to ?? null, why: why ?? null, reason, value: kept }
}

function countsOf ({ report }: Plan): ImportCounts {
  const counts: ImportCounts = fromKeys(OUTCOMES, () => 0)
  for (const { outcome } of report) counts[outcome]++
  return counts
}

const reportOf = ({ kind, report }: Plan) => JSON.stringify({ kind, report }, null, 2) + '\n'

async function wholeOf (blobs: Blobs, blob: Id): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of blobs.read(blob)) pieces.push(piece)
  return Buffer.concat(pieces)
}
