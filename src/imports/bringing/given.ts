import { sha256 } from '../../platform/digest.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import type { Form, Declared, DeclaredFiles } from '../../config-as-code/index.ts'
import { PortableAgent } from '../../sources/index.ts'
import type { Plan, PlannedAgent, PlannedSource } from '../contract.ts'
import { portable } from './portable.ts'

/** Maximum test questions made of the questions that an agent's sources answer. */
const MOST_QUESTIONS = 100

/** The agent that a planned one becomes. */
export interface Home {
  /** The agent's key in its account. */
  key: string
  /** It already exists. */
  isThere: boolean
  /** Chosen by a person, regardless of earlier keys. */
  isChosen: boolean
}

/** The contents of an import as configuration files: compared and applied like those. */
export interface Brought { given: DeclaredFiles, contents: Map<string, Buffer> }

const validate = compileValidator({ schema: PortableAgent, httpPart: 'body', method: 'POST', url: '' } as never)

/** Refuses with VALIDATION_ERROR an agent with invalid fields. */
function demandUsual (planned: PlannedAgent) {
  const { error } = validate(portable(planned)) as { error?: Error }
  if (error) throw error
}

/** A key of characters allowed in file names: readable if the original is, and distinct for distinct originals. */
export function keyOf (...names: string[]): string {
  const whole = names.join('-')
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(whole)) return whole
  const plain = whole.toLowerCase().replace(/[^a-z0-9_-]/g, '-').replace(/^[^a-z0-9]/, 'x').slice(0, 46)
  return `${plain}-${sha256(names.join('\0')).slice(0, 16)}`
}

/** The key of a planned agent in its account. */
export const agentKey = (kind: string, { key }: PlannedAgent) => keyOf(kind, key || 'agent')

/** The whole plan as files. `homes`: one for each of its agents; `names`: current names of actions by their keys. */
export function broughtBy (
  { kind, agents }: Plan, homes: readonly Home[], names: ReadonlyMap<string, string>
): Brought {
  const contents = new Map<string, Buffer>()
  const objects = agents.flatMap((agent, i) => {
    demandUsual(agent)
    return objectsOf(kind, agent, homes[i]!, { contents, names: new Map(names) })
  })
  // Two agents may use one system.
  const given = [...new Map(objects.map((one) => [one.place, one])).values()]
  const isThere = (...kinds: string[]) => given.some((one) => kinds.includes(one.kind))
  return {
    contents,
    given: {
      objects: given,
      manage: [
        'agents',
        ...(isThere('action') ? ['actions' as const] : []),
        ...(isThere('question') ? ['questions' as const] : [])
      ]
    }
  }
}

interface Putting { contents: Map<string, Buffer>, names: Map<string, string> }

const common = { isLocked: false, unset: [] }

function objectsOf (kind: string, agent: PlannedAgent, home: Home, putting: Putting): Declared[] {
  const place = `agents/${home.key}`
  const origin = agentKey(kind, agent)
  const actions = actionsOf(kind, agent, putting.names)
  const sources = sourcesOf(agent.sources, { place, origin, contents: putting.contents })
  return [
    ...actions.given,
    { ...common, kind: 'agent', place, key: home.key, file: '', at: agent.fields.name, form: fieldsOf(agent, home, actions.keys) },
    ...sources.map(({ given }) => given),
    ...questionsOf(sources, place)
  ]
}

/** The agent's own settings; for an existing agent, only those in the file. */
function fieldsOf ({ fields, assumed = [] }: PlannedAgent, { isThere, isChosen }: Home, actions: string[]): Form {
  const { status, ...said } = fields
  const form: Form = { ...said }
  if (isThere) for (const name of assumed) delete form[name]
  if (isChosen) delete form['name']
  if (!isThere) {
    form['status'] = status
    // Which actions an existing agent uses is up to its people.
    if (actions.length > 0) form['behavior'] = { ...fields.behavior, actions: actions.slice(0, 50) }
  }
  return form
}

interface Placed { given: Declared, source: PlannedSource }

function sourcesOf (
  sources: readonly PlannedSource[],
  { place, origin, contents }: { place: string, origin: string, contents: Map<string, Buffer> }
): Placed[] {
  const taken = new Map<string, number>()
  return sources.map((source) => {
    // If two have the same key, the second is distinguished by its position.
    const times = (taken.get(source.key) ?? 0) + 1
    taken.set(source.key, times)
    const key = keyOf(origin, source.key, ...(times > 1 ? [String(times)] : []))
    const at = `${place}/sources/${key}`
    const { title, folder = [] } = source
    const made = { ...common, kind: 'source' as const, place: at, key, parent: place, file: '', at: title }
    return { source, given: { ...made, ...contentOf(source, at, contents, { title, folder }) } }
  })
}

function contentOf (
  source: PlannedSource, at: string, contents: Map<string, Buffer>, form: Form
): Pick<Declared, 'form' | 'content'> {
  if ('url' in source) return { form: { ...form, urls: [source.url] } }
  if ('file' in source) {
    contents.set(at, Buffer.from(source.file, 'base64'))
    return { form: { ...form, name: source.name, type: 'docs' }, content: { path: at } }
  }
  if (source.type === 'faq') return { form, content: { text: source.text } }
  // The last line end of a text belongs to the file.
  contents.set(at, Buffer.from(`${source.text}\n`))
  return { form, content: { path: at } }
}

/** Test questions, each passed if the answer cites the source that answers it. */
function questionsOf (sources: readonly Placed[], place: string): Declared[] {
  const asked = sources.flatMap(({ given, source: { asks = [] } }) =>
    asks.map((text) => ({ text: text.trim(), source: given.key })))
  const usual = asked.filter(({ text }) => text.length > 0 && text.length <= 2000)
  const once = new Map(usual.map((one) => [one.text, one]))
  return [...once.values()].slice(0, MOST_QUESTIONS).map(({ text, source }) => {
    const key = keyOf('asked', text)
    return {
      ...common,
      kind: 'question',
      place: `${place}/questions/${key}`,
      key,
      parent: place,
      file: '',
      at: text.slice(0, 100),
      form: { text, expect: { sources: [source] }, blocking: false }
    }
  })
}

/**
 * Connections and their actions, switched off. Those imported before are left alone: somebody has entered the secret,
 * tested them and switched them on.
 */
function actionsOf (kind: string, { actions = [], key: agent }: PlannedAgent, names: Map<string, string>): Actions {
  const keys: string[] = []
  const given = actions.flatMap(({ key: action, connection, draft }): Declared[] => {
    const key = keyOf(kind, agent, action)
    keys.push(key)
    if (names.has(key)) return []
    const home = keyOf(kind, connection.base_url)
    const place = `connections/${home}`
    const name = freeName(draft.name, names)
    names.set(key, name)
    return [
      { ...common, kind: 'connection', place, key: home, file: '', at: connection.base_url, form: { ...connection } },
      { ...common, kind: 'action', place: `actions/${key}`, key, parent: place, file: '', at: draft.title, form: { ...draft, name } }
    ]
  })
  return { keys, given }
}

interface Actions { keys: string[], given: Declared[] }

/** A name that no action of the account has. */
function freeName (name: string, names: ReadonlyMap<string, string>): string {
  const taken = new Set(names.values())
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name.slice(0, 44)}_${n}`
    if (!taken.has(tried)) return tried
  }
}
