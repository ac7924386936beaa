import type { ActionRecord, Connection } from '../../schema/actions.ts'
import { settingsIn, type AgentRecord } from '../../schema/agents.ts'
import type { BusinessRecord } from '../../schema/business.ts'
import type { Question } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type { FolderRecord, KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Webhook } from '../../schema/webhooks.ts'
import type { ActionStore, ConnectionStore } from '../actions/index.ts'
import { sourcesAfter, type AgentStore } from '../agents/index.ts'
import type { BusinessStore } from '../business/index.ts'
import type { Checks } from '../checks/index.ts'
import { sha256Apart } from '../platform/digest.ts'
import { onceEach } from '../platform/lazily.ts'
import { takingTurns } from '../platform/work/slices.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { hasOwnText } from '../../schema/knowledge.ts'
import type { Knowledge } from '../sources/index.ts'
import type { WebhookStore } from '../webhooks/index.ts'
import type { Form } from './contract.ts'
import type { ConfigStore, Named, Stamped } from './store.ts'

/** The stores through which files are applied. */
export interface ConfigParts {
  store: ConfigStore
  agents: AgentStore
  knowledge: Pick<Knowledge, 'store' | 'blobs'>
  actions: { actions: ActionStore, connections: ConnectionStore }
  checks: Pick<Checks, 'store' | 'gate'>
  business: BusinessStore
  webhooks: WebhookStore
}

/** The current state of one object, in the form of files. */
export interface Current extends Stamped {
  place: string
  /** The place of its parent. */
  home: string | null
  form: Form
  /** SHA-256 of the text or file of a source; read on demand. */
  digest?: () => Promise<string>
  /** The text of a source, or its file. */
  bytes?: () => Promise<Buffer>
  /** The stored record, for callers that need more than files hold. */
  record: unknown
}

/** All of an account that files can hold, each as it is, in the order of kinds and numbers. */
export async function currentOf (parts: ConfigParts, owner: Id): Promise<Current[]> {
  const standing = await parts.store.standing(owner)
  await nextTurn()
  const names = namesOf(standing)
  await nextTurn()
  const forms = await formsOf(parts, owner, standing, names)
  if (!standing.some(({ kind }) => kind === 'business')) {
    standing.unshift({ kind: 'business', id: owner, key: 'business', parent: null, stamp: '' })
  }
  const all: Current[] = []
  const turn = takingTurns()
  for (const one of standing) {
    const found = forms.get(`${one.kind} ${one.id}`)
    if (!found) continue
    all.push({ ...one, place: names.place(one), home: names.home(one), ...found })
    await turn()
  }
  return all
}

/**
 * Of an account only an agent, a thing of it by its key and sources of it by their numbers, each as it is: to compare
 * what rests on no more than these takes as long in an account of any size. Sources by their numbers have no form.
 */
export async function currentOfNamed (parts: ConfigParts, owner: Id, named: Named): Promise<Current[]> {
  const { store, agents, knowledge, checks } = parts
  const standing = await store.named(owner, named)
  const home = standing.find(({ kind }) => kind === 'agent')
  const agent = home && await agents.live(owner, home.id)
  if (!agent) return []
  const part = standing.find(({ kind, key }) => kind === named.kind && key === named.key)
  const source = part && named.kind === 'source' ? await knowledge.store.get(owner, home.id, part.id) : undefined
  const question = part && named.kind === 'question' ? await checks.store.question(owner, home.id, part.id) : undefined
  const sites = await checks.store.sources(owner, home.id, question?.expect.sources ?? [])
  const siteOf = (id: Id) => sites.get(id) ?? id
  const all = question
    ? await store.named(owner, { ...named, sources: [...named.sources ?? [], ...question.expect.sources.map(siteOf)] })
    : standing
  const names = namesOf(all)
  const folders = source ? await knowledge.store.folders(owner, home.id) : undefined
  return all.map((one): Current => {
    const of = { ...one, place: names.place(one), home: names.home(one) }
    // The agent itself is left out: it stays as it is.
    if (one.kind === 'agent') return { ...of, form: agentForm(agent, [], names), record: agent }
    if (one.kind === 'source' && one.id === source?.id) return { ...of, ...sourceFound(knowledge, source, (folder) => folderPath(folders ?? [], folder)) }
    if (one.kind === 'question' && question) return { ...of, form: questionForm(question, siteOf, names), record: question }
    return { ...of, form: {}, record: undefined }
  })
}

/** The key of each number, and the place of each object. */
export function namesOf (standing: readonly Stamped[]) {
  const keys = new Map(standing.map(({ kind, id, key }) => [`${kind} ${id}`, key]))
  function home ({ kind, parent }: Stamped): string | null {
    const above = kind === 'action' ? 'connection' : 'agent'
    return parent === null ? null : `${above}s/${keys.get(`${above} ${parent}`)}`
  }
  return {
    key: (kind: Stamped['kind'], id: Id) => keys.get(`${kind} ${id}`),
    home,
    place (one: Stamped): string {
      const { kind, key } = one
      if (kind === 'business') return 'business'
      return kind === 'source' || kind === 'question' ? `${home(one)}/${kind}s/${key}` : `${kind}s/${key}`
    }
  }
}

type Found = Pick<Current, 'form' | 'digest' | 'bytes' | 'record'>
type Names = ReturnType<typeof namesOf>

async function formsOf (
  { agents, knowledge, actions, checks, business, webhooks }: ConfigParts, owner: Id, standing: readonly Stamped[],
  names: Names
): Promise<Map<string, Found>> {
  const forms = new Map<string, Found>()
  const turn = takingTurns()
  const add = (kind: Stamped['kind'], id: Id, found: Found) => forms.set(`${kind} ${id}`, found)
  const kept = await business.get(owner)
  add('business', owner, { form: businessForm(kept), record: kept })
  for (const webhook of await webhooks.list(owner)) {
    add('webhook', webhook.id, { form: webhookForm(webhook), record: webhook })
  }
  for (const connection of await actions.connections.list(owner)) {
    add('connection', connection.id, { form: connectionForm(connection), record: connection })
    for (const action of await actions.actions.ofConnection(owner, connection.id)) {
      add('action', action.id, { form: actionForm(action), record: action })
    }
  }
  for (const { kind, id } of standing) {
    if (kind !== 'agent') continue
    const found = await agents.get(owner, id)
    const words = await agents.vocabulary(owner, id)
    const folders = await knowledge.store.folders(owner, id)
    if (!found || !words || !folders) continue
    add('agent', id, { form: agentForm(found.agent, words.terms, names), record: found.agent })
    await turn()
    const folderOf = onceEach((folder: Id) => folderPath(folders, folder))
    const sites = new Map<Id, Id | null>()
    const siteOf = (source: Id) => sites.get(source) ?? source
    const noteSources = (sources: readonly KnowledgeSourceRecord[]) => {
      for (const source of sources) {
        const { id, parent_knowledge_source: site, feed } = source
        sites.set(id, site)
        if (site === null && feed === null) add('source', id, sourceFound(knowledge, source, folderOf))
      }
    }
    noteSources(found.sources)
    for await (const sources of sourcesAfter(agents, owner, found)) noteSources(sources)
    for (const question of await checks.store.questions(owner, id) ?? []) {
      await turn()
      add('question', question.id, { form: questionForm(question, siteOf, names), record: question })
    }
  }
  return forms
}

/** A business's settings in the form of files; whether there is a team's chat, but not its address. */
export function businessForm (
  {
    name, address, time_zone: zone, hours, closed_on: closedOn, notices, targets, asks_satisfaction: asks,
    gaps_mail: gapsMail, team_chat_host: host
  }: BusinessRecord
): Form {
  return {
    name,
    address,
    time_zone: zone,
    hours,
    closed_on: closedOn,
    notices,
    targets,
    asks_satisfaction: asks,
    gaps_mail: gapsMail,
    team_chat_url: host === null ? null : KEPT_SECRET
  }
}

/** The placeholder of an existing secret. */
export const KEPT_SECRET = '••••'

const webhookForm = ({ url, events, description, is_active: isActive }: Webhook): Form =>
  ({ url, events, description, is_active: isActive })

function connectionForm ({
  name, kind, base_url: url, auth, auth_name: authName, token_url: tokenUrl, allowed_hosts: hosts, has_secret: hasSecret
}: Connection): Form {
  return {
    name,
    kind,
    base_url: url,
    auth,
    auth_name: authName,
    token_url: tokenUrl,
    allowed_hosts: hosts,
    secret: hasSecret ? KEPT_SECRET : null
  }
}

function actionForm ({
  name, title, when, effect, method, path, parameters, result, confirm, needs_verified: needsVerified, as_form: asForm,
  button, limits, lookup, enabled
}: ActionRecord): Form {
  return {
    name,
    title,
    when,
    effect,
    method,
    path,
    parameters,
    result,
    confirm,
    needs_verified: needsVerified,
    as_form: asForm,
    button,
    limits,
    lookup,
    enabled
  }
}

function agentForm (agent: AgentRecord, vocabulary: readonly object[], names: Names): Form {
  const { behavior: { actionIds, ...behavior }, ...settings } = settingsIn(agent)
  const actions = actionIds.flatMap((id) => names.key('action', id) ?? [])
  return { ...settings, behavior: { ...behavior, actions }, publish_on_save: agent.publish_on_save, vocabulary }
}

function questionForm (
  { text, language, turns, expect, enabled, blocking }: Question, siteOf: (source: Id) => Id, names: Names
): Form {
  // Pages of a site have no key: an expectation of one is one of the site.
  const keys = expect.sources.flatMap((id) => names.key('source', siteOf(id)) ?? [])
  return { text, language, turns, expect: { ...expect, sources: [...new Set(keys)] }, enabled, blocking }
}

function sourceFound (
  { blobs }: Pick<Knowledge, 'blobs'>, source: KnowledgeSourceRecord, folderOf: (folder: Id) => string[]
): Found {
  const { file_blob: file, text_blob: text, urls, google_drive_file_id: drive, crawl, file_name: name, type } = source
  const folder = folderOf(source.agent_knowledge_folder)
  const common = { type, title: source.title, folder, selected: source.is_selected }
  const isOwn = hasOwnText(source)
  const blob = isOwn ? text : file
  if (!isOwn && urls.length > 0) return { form: { ...common, urls, ...crawl }, record: source }
  if (!isOwn && drive !== null) return { form: { ...common, drive }, record: source }
  const bytes = async () => {
    const pieces: Buffer[] = []
    if (blob !== null) for await (const piece of blobs.read(blob)) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  return {
    form: { ...common, ...(!isOwn && { name }) },
    record: source,
    bytes,
    digest: async () => await sha256Apart(await bytes())
  }
}

/** The path of a folder: the names of its ancestors and its own, without the root's. */
function folderPath (folders: readonly FolderRecord[], id: Id): string[] {
  const folder = folders.find((one) => one.id === id)
  return !folder || folder.parent === null ? [] : [...folderPath(folders, folder.parent), folder.name]
}
