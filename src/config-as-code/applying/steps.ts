import type { ActionDraft, ConnectionDraft } from '../../../schema/actions.ts'
import type { AgentDraft, AgentPatch, AgentRecord, Term } from '../../../schema/agents.ts'
import type { BusinessPatch } from '../../../schema/business.ts'
import type { Id, Timestamp } from '../../../schema/common.ts'
import type { ConfigKind } from '../../../schema/config.ts'
import type { Crawl } from '../../../schema/knowledge.ts'
import type { WebhookDraft } from '../../../schema/webhooks.ts'
import { changed, newAgent, type Author, type DefaultModel } from '../../agents/index.ts'
import { decideBusiness, type SealChat } from '../../business/index.ts'
import { newQuestion, type PreparedQuestion, type Written } from '../../checks/index.ts'
import { Refusal } from '../../platform/errors.ts'
import type { NewSource } from '../../sources/index.ts'
import type { Form } from '../contract.ts'
import type { ConfigParts } from '../current.ts'
import { located, type Step } from '../plan.ts'
import { questionOf, questionPatch } from './questions.ts'
import { pausing, type Work } from '../../platform/storage/work.ts'

/** New questions that are made before others get a turn: each takes microseconds. */
const QUESTIONS_AT_ONCE = 200

/** Dependencies for applying steps, besides the stores. */
export interface Taking {
  parts: ConfigParts
  owner: Id
  /** Who changes an agent, by its place. */
  authorOf: (place: string) => Author
  model: DefaultModel
  now: () => Timestamp
  seal: SealChat
  /** Sources whose texts and files are staged, by their places. */
  sources: ReadonlyMap<string, NewSource>
  /** Questions whose changes were prepared, by their places. */
  questions: ReadonlyMap<string, PreparedQuestion>
  /** Numbers of everything that exists, by place, whether in files or not. */
  keys: ReadonlyMap<string, Id>
  /** Runs a store's method inside the open transaction, and records it in the audit log. */
  doing<T> (action: string, target: string, fields: readonly string[], method: () => Promise<T>): Work<T>
  /** Records what was written in the audit log. */
  noting (done: readonly Done[]): Work<void>
}

/** What was done, for the audit log. */
export interface Done { action: string, target: string, fields: readonly string[] }

/** Agents that are there and that nobody sees yet. */
export interface Ahead {
  /** Numbers of the agents and their sources, by place. */
  ids: ReadonlyMap<string, Id>
  agents: readonly Id[]
  done: readonly Done[]
}

/** Takes a step, and names what it is about by its key; notes its number. Of a new question: see createQuestions. */
export function * takeStep (step: Step, taken: Taken): Work<void> {
  const { parts: { store }, owner, ids, questions } = taken
  const { kind, place, current, given } = step
  const id = questions.has(place) ? current!.id : yield * TAKE[kind](step, taken)
  ids.set(place, id)
  if (kind !== 'business' && current?.key !== given!.key) yield * store.rename(owner, [{ kind, id, key: given!.key }])
}

/** Shows what was made before the transaction, and records it. */
function * showAhead ({ agents: made, done }: Ahead, { parts, owner, noting }: Taking): Work<void> {
  if (made.length === 0) return
  const { agents, knowledge } = parts
  yield * agents.show(owner, made)
  yield * knowledge.store.trainAll(owner, made)
  yield * noting(done)
}

/** Applies steps inside one transaction; returns the numbers of their objects, by place. */
export function * takeSteps (steps: readonly Step[], ahead: Ahead, taking: Taking): Work<Map<string, Id>> {
  const ids = new Map(ahead.ids)
  for (const { place, current, action } of steps) if (current && action !== 'unmanaged') ids.set(place, current.id)
  const replaced = new Set(steps.filter((step) => step.isReplaced && step.current).map(({ place }) => place))
  const taken: Taken = { ...taking, ids, folders: new Map() }
  const made = new Map<Step, Written>()
  yield * showAhead(ahead, taking)
  for (const step of steps) {
    if (step.action === 'unmanaged' || step.action === 'delete' || ahead.ids.has(step.place)) continue
    if (step.action === 'same' && !restsOn(step, replaced)) continue
    try {
      if (step.kind === 'question' && !step.current) {
        made.set(step, madeQuestion(step, taken))
        if (made.size % QUESTIONS_AT_ONCE === 0) yield * pausing()
        continue
      }
      yield * takeStep(step, taken)
    } catch (error) {
      throw located(step.given!, error)
    }
  }
  yield * createQuestions(made, taken)
  yield * writeQuestions(steps, taking)
  for (const step of steps.toReversed()) if (step.action === 'delete') yield * remove(step, taking)
  return ids
}

/** Whether a question expects a source that was replaced under its key. */
function restsOn ({ kind, given, next }: Step, replaced: ReadonlySet<string>): boolean {
  if (kind !== 'question') return false
  const { sources = [] } = next['expect'] as { sources?: string[] }
  return sources.some((key) => replaced.has(`${given!.parent}/sources/${key}`))
}

/** The same, and what is known of what was taken. */
export interface Taken extends Taking {
  ids: Map<string, Id>
  /** Of agents whose folders were read. */
  folders: Map<Id, Array<{ id: Id, parent: Id | null, name: string }>>
}

const TAKE: Record<ConfigKind, (step: Step, taken: Taken) => Work<Id>> = {
  business: takeBusiness,
  webhook: takeWebhook,
  connection: takeConnection,
  action: takeAction,
  agent: takeAgent,
  source: takeSource,
  question: takeQuestion
}

/** The fields that a step changes, as the audit log names them. */
const fieldsOf = ({ changes }: Step) => [...new Set(changes.map(({ field }) => field.split('.')[0]!))].slice(0, 50)

/** Of a form only the fields that change; of something new all. */
function changesIn (step: Step): Form {
  const { next, action } = step
  const fields = fieldsOf(step)
  return action === 'create' ? next : Object.fromEntries(Object.entries(next).filter(([name]) => fields.includes(name)))
}

function * takeBusiness (step: Step, { parts: { business }, owner, now, seal, doing }: Taken): Work<Id> {
  const { team_chat_url: chat, ...patch } = changesIn(step)
  const address = step.secret ?? (chat === null && step.current?.form['team_chat_url'] !== null ? null : undefined)
  const whole = { ...patch, ...(address !== undefined && { team_chat_url: address }) } as BusinessPatch
  yield * doing('updateBusiness', 'business', fieldsOf(step), () =>
    business.change(owner, (kept) => decideBusiness(kept, whole, now(), seal)))
  return owner
}

function * takeWebhook (step: Step, { parts: { webhooks }, owner, doing }: Taken): Work<Id> {
  const { current, next } = step
  if (!current) return (yield * doing('createWebhook', 'webhooks', [], () => webhooks.add(owner, next as WebhookDraft))).answer.id
  if (step.changes.length > 0) {
    yield * doing('updateWebhook', `webhooks/${current.id}`, fieldsOf(step), () => webhooks.change(owner, current.id, changesIn(step) as WebhookDraft))
  }
  return current.id
}

function * takeConnection (step: Step, { parts: { actions: { connections } }, owner, doing }: Taken): Work<Id> {
  const { current, secret } = step
  const { secret: _secret, ...next } = step.next
  const draft = { ...next, ...(secret != null && { secret }) } as ConnectionDraft
  if (!current) return (yield * doing('createConnection', 'connections', [], () => connections.add(owner, draft))).answer.id
  if (step.changes.length > 0) {
    yield * doing('replaceConnection', `connections/${current.id}`, fieldsOf(step), () => connections.replace(owner, current.id, draft))
  }
  return current.id
}

function * takeAction (step: Step, { parts: { actions: { actions } }, owner, ids, doing }: Taken): Work<Id> {
  const { current, given } = step
  if (current) {
    const { name: _name, ...patch } = changesIn(step)
    if (step.changes.length > 0) {
      yield * doing('updateAction', `actions/${current.id}`, fieldsOf(step), () => actions.change(owner, current.id, patch))
    }
    return current.id
  }
  const { schema_digest: digest, ...next } = step.next
  const draft = { ...next, connection: ids.get(given!.parent!)! } as ActionDraft
  // A tool without a recorded digest is switched off at the first check of its server.
  return (yield * doing('createAction', 'actions', [], () => actions.add(owner, draft, undefined, String(digest ?? ''))))!.answer.id
}

function * takeAgent (step: Step, taken: Taken): Work<Id> {
  const { parts: { agents }, owner, model, doing } = taken
  const { vocabulary, ...settings } = step.current ? changesIn(step) : step.next
  const patch = patchOf(settings, step, taken)
  const author = { ...taken.authorOf(step.place), actions: patch.behavior?.actionIds ?? [] }
  const target = (id: Id) => `agents/${id}`
  const update = (id: Id, change: AgentPatch) => doing('updateAgent', target(id), fieldsOf(step), () =>
    agents.update(owner, id, (kept) => changed(kept, change, author) as AgentRecord, { isKept: true }))
  let id = step.current?.id
  if (id === undefined) {
    // Nobody is answered by it before it is published: what is live is inactive, and the draft what files say.
    const made = newAgent({ ...patch, status: 'Inactive' } as AgentDraft, model, author)
    id = (yield * doing('createAgent', 'agents', [], () => agents.create(owner, made))).answer.agent.id
    if (patch.status !== 'Inactive') yield * update(id, { status: patch.status ?? 'Active' })
  } else if (Object.keys(patch).length > 0) yield * update(id, patch)
  if (vocabulary !== undefined && (step.current || (vocabulary as Term[]).length > 0)) {
    yield * doing('replaceVocabulary', `${target(id)}/vocabulary`, ['terms'], () => agents.replaceVocabulary(owner, id, vocabulary as Term[], () => {}))
  }
  return id
}

/** Settings with actions by their numbers. A removed language is deleted. */
function patchOf (settings: Form, step: Step, { ids, keys }: Taken): AgentPatch {
  const patch = { ...settings } as Form & { behavior?: Form & { actions?: string[] }, translations?: Form }
  if (patch.behavior) {
    const { actions = [], ...behavior } = patch.behavior
    patch.behavior = { ...behavior, actionIds: actions.map((key) => actionOf(key, ids, keys)) }
  }
  const before = (step.current?.form['translations'] ?? {}) as Form
  if (patch.translations) {
    const gone = Object.keys(before).filter((language) => !Object.hasOwn(patch.translations!, language))
    patch.translations = { ...Object.fromEntries(gone.map((language) => [language, null])), ...patch.translations }
  }
  return patch as AgentPatch
}

function actionOf (key: string, ids: Map<string, Id>, keys: ReadonlyMap<string, Id>): Id {
  const id = ids.get(`actions/${key}`) ?? keys.get(`actions/${key}`)
  if (id === undefined) throw new Refusal('VALIDATION_ERROR', `there is no action ${key}. Add it to a file in actions/, or leave it out.`)
  return id
}

function * takeSource (step: Step, taken: Taken): Work<Id> {
  const { parts: { knowledge: { store } }, owner, ids, sources, doing } = taken
  const { current, given, place, next, isReplaced } = step
  const agent = ids.get(given!.parent!)!
  const home = `agents/${agent}/knowledge_sources`
  const folder = yield * folderOf(next['folder'] as string[], agent, taken)
  const staged = sources.get(place)
  if (!current || isReplaced) {
    if (current) yield * doing('deleteKnowledgeSource', `${home}/${current.id}`, [], () => store.remove(owner, agent, current.id))
    const made = yield * doing('addKnowledgeSources', home, [], () => store.add(owner, agent, [{ ...staged!, folder }]))
    return made!.answer[0]!.id
  }
  if (step.changes.length > 0) {
    const changes = changesIn(step) as { title?: string, selected?: boolean } & Partial<Crawl>
    const { title, selected } = changes
    const crawl = crawlIn(changes)
    yield * doing('updateKnowledgeSource', `${home}/${current.id}`, fieldsOf(step), () => store.update(owner, agent, current.id, {
      folder,
      ...(title !== undefined && { title }),
      ...(selected !== undefined && { is_selected: selected }),
      ...(staged?.text && { text: staged.text }),
      ...(Object.keys(crawl).length > 0 && { crawl })
    }))
  }
  return current.id
}

/** What is said of how far to read. */
export function crawlIn ({
  depth, count, refresh_hours: hours, include, exclude
}: Partial<Crawl>): Partial<Crawl> {
  return {
    ...(depth !== undefined && { depth }),
    ...(count !== undefined && { count }),
    ...(hours !== undefined && { refresh_hours: hours }),
    ...(include && { include }),
    ...(exclude && { exclude })
  }
}

/** The folder at this path, made if there is none. */
function * folderOf (
  names: readonly string[], agent: Id, taken: Taken
): Work<Id> {
  const { parts: { store: { folders }, knowledge: { store } }, owner, doing } = taken
  // Nobody else makes any while the transaction is open.
  const all = taken.folders.get(agent) ?? (yield * folders(owner, agent))
  taken.folders.set(agent, all)
  let at = all.find(({ parent }) => parent === null)!.id
  for (const name of names) {
    const there = all.find((one) => one.parent === at && one.name === name)
    const into = at
    at = there?.id ?? (yield * doing('createKnowledgeFolder', `agents/${agent}/knowledge_folders`, [], () => store.addFolder(owner, agent, name, into)))!.answer.id
    if (!there) taken.folders.delete(agent)
  }
  return at
}

/** Of an existing question. New ones are made all at once. */
function * takeQuestion (step: Step, { parts: { checks: { store } }, owner, ids, keys, doing }: Taken): Work<Id> {
  const { id } = step.current!
  const agent = ids.get(step.given!.parent!)!
  const draft = questionOf(step, (place) => ids.get(place) ?? keys.get(place))
  const fields = fieldsOf(step)
  yield * doing('updateQuestion', `agents/${agent}/questions/${id}`, fields.length > 0 ? fields : ['expect'], () =>
    store.change(owner, agent, id, questionPatch(step, draft), () => {}))
  return id
}

const madeQuestion = (step: Step, { ids, keys }: Taken): Written =>
  newQuestion(questionOf(step, (place) => ids.get(place) ?? keys.get(place)))

/** Makes new questions, those of an agent all at once: one by one 5,000 of them held everybody up for a second. */
function * createQuestions (made: ReadonlyMap<Step, Written>, { parts, ids, now, noting }: Taken): Work<void> {
  const at = now()
  for (const [parent, some] of Map.groupBy(made, ([{ given }]) => given!.parent!)) {
    const agent = ids.get(parent)!
    try {
      const byKey = new Map(some.map(([{ given }, question]) => [given!.key, question]))
      const created = yield * parts.checks.store.create(agent, byKey, at)
      for (const [{ place, given }] of some) ids.set(place, created.get(given!.key)!)
    } catch (error) {
      throw located(some.at(-1)![0].given!, error)
    }
  }
  yield * noting([...made.keys()].map(({ place, given }) =>
    ({ action: 'createQuestion', target: `agents/${ids.get(given!.parent!)!}/questions/${ids.get(place)!}`, fields: [] })))
}

/** Writes the questions that were changed before the transaction, all at once. */
function * writeQuestions (steps: readonly Step[], { parts, questions, now, noting }: Taking): Work<void> {
  if (questions.size === 0) return
  yield * parts.checks.store.write([...questions.values()], now())
  yield * noting(steps.flatMap((step) => {
    const { place, current } = step
    return questions.has(place)
      ? [{ action: 'updateQuestion', target: `agents/${current!.parent}/questions/${current!.id}`, fields: fieldsOf(step) }]
      : []
  }))
}

function * remove ({ kind, current }: Step, { parts, owner, doing }: Taking): Work<void> {
  const { id, parent } = current!
  const way: Record<ConfigKind, [action: string, target: string, method: () => Promise<unknown>]> = {
    business: ['updateBusiness', 'business', async () => false],
    webhook: ['deleteWebhook', `webhooks/${id}`, () => parts.webhooks.remove(owner, id)],
    connection: ['deleteConnection', `connections/${id}`, () => parts.actions.connections.remove(owner, id)],
    action: ['deleteAction', `actions/${id}`, () => parts.actions.actions.remove(owner, id)],
    agent: ['deleteAgent', `agents/${id}`, () => parts.agents.delete(owner, id, () => {})],
    source: ['deleteKnowledgeSource', `agents/${parent}/knowledge_sources/${id}`, () => parts.knowledge.store.remove(owner, parent!, id)],
    question: ['deleteQuestion', `agents/${parent}/questions/${id}`, () => parts.checks.store.remove(owner, parent!, id, () => {})]
  }
  const [action, target, method] = way[kind]
  yield * doing(action, target, [], method)
}
