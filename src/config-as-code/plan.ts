import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { AgentPatch } from '../../schema/agents.ts'
import type { ConfigDrift, ConfigKind, ConfigPlan } from '../../schema/config.ts'
import { CONFIG_KINDS } from '../../schema/config.ts'
import { CRAWL_FIELDS } from '../../schema/knowledge.ts'
import { isOneOf } from '../../schema/typed.ts'
import type { FieldChange } from '../../schema/versions.ts'
import { diffOf, displayName, type DefaultModel } from '../agents/index.ts'
import { sha256Apart } from '../platform/digest.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { compileValidator } from '../platform/http/validation.ts'
import { takingTurns } from '../platform/work/slices.ts'
import { textOf, type Contents } from './files/apart.ts'
import type { Form, Declared, DeclaredFiles } from './contract.ts'
import { KEPT_SECRET, type Current } from './current.ts'
import { defaultsOf, normal, REQUIRED } from './defaults.ts'
import { GROUP_OF, homeOf, type Secret } from './files/format.ts'
import type { Kept } from './store.ts'
import { ownProperty } from '../platform/objects.ts'
import { nextTurn } from '../platform/work/turns.ts'

/** Maximum bytes of a text whose changed lines are shown. */
const SHOWN_BYTES = 65_536

/** The planned change of one object. */
export interface Step {
  action: 'create' | 'change' | 'delete' | 'unmanaged' | 'same'
  kind: ConfigKind
  place: string
  given?: Declared
  current?: Current
  /** As it is to be. */
  next: Form
  changes: FieldChange[]
  was: string | null
  /** A secret that replaces the previous one; null: none. */
  secret?: string | null
  /** The text or file of a source, where it is another. */
  content?: Buffer
  /** A source that becomes another one, as its address or its file is another. */
  isReplaced: boolean
}

/** What files would do, and what that was based on. */
export interface Planned {
  steps: Step[]
  missing: string[]
  digests: Record<string, string>
}

interface Planning {
  given: DeclaredFiles
  contents: Contents
  current: readonly Current[]
  kept: readonly Kept[]
  secrets: Readonly<Record<string, string>>
  isPruning: boolean
  model: DefaultModel
  /** The secret of a connection or the address of the team's chat, as it is. */
  openedOf (current: Current): Promise<string | null>
}

/** The changes of everything, in the order of kinds. Refuses with VALIDATION_ERROR what is invalid in files. */
export async function planned (planning: Planning): Promise<Planned> {
  const { given: { objects, manage }, current, kept, isPruning } = planning
  const places = new Map(current.map((one) => [one.place, one]))
  const found = new Map<string, Current>()
  const missing: string[] = []
  const steps: Step[] = []
  const turn = takingTurns()
  for (const given of inOrder(objects)) {
    await turn()
    const one = matching(given, places, found)
    if (one) found.set(given.place, one)
    steps.push(await stepOf(planning, given, one, missing))
  }
  const taken = new Set([...found.values()].map(({ kind, id }) => `${kind} ${id}`))
  const isMade = new Set(kept.filter((one) => one.isMade).map(({ kind, id }) => `${kind} ${id}`))
  const named = new Set([...found.values()].map(({ place }) => place))
  for (const one of current) {
    await turn()
    const name = `${one.kind} ${one.id}`
    if (taken.has(name) || one.kind === 'business' || !manage.includes(GROUP_OF[one.kind])) continue
    const action = isPruning && isMade.has(name) ? 'delete' : 'unmanaged'
    // Children of something that is in no file stay or go with it; actions have to go before their connection.
    const isLeft = one.home !== null && !named.has(one.home)
    if (isLeft && (one.kind !== 'action' || action !== 'delete')) continue
    const { kind, place } = one
    steps.push({ action, kind, place, current: one, next: {}, changes: [], was: null, isReplaced: false })
  }
  await nextTurn()
  const digests = Object.fromEntries(steps.filter(({ action }) => action !== 'unmanaged').map(({ place, current: one }) => [place, one?.stamp ?? '']))
  return { steps, missing: [...new Set(missing)], digests }
}

function inOrder (objects: readonly Declared[]): Declared[] {
  return CONFIG_KINDS.flatMap((kind) => objects.filter((one) => one.kind === kind))
}

/** The existing object that a file refers to: by its key, else by its previous key. */
function matching (
  { kind, place, key, parent, was }: Declared, places: Map<string, Current>, found: Map<string, Current>
): Current | undefined {
  if (kind === 'source' || kind === 'question') {
    const home = found.get(parent!)?.place
    if (home === undefined) return undefined
    return places.get(`${home}/${kind}s/${key}`) ?? (was === undefined ? undefined : places.get(`${home}/${kind}s/${was}`))
  }
  return places.get(place) ?? (was === undefined ? undefined : places.get(homeOf(place) + was))
}

async function stepOf (
  planning: Planning, said: Declared, current: Current | undefined, missing: string[]
): Promise<Step> {
  const { model } = planning
  try {
    const given = { ...said, form: normal(said) }
    const isMoved = given.kind === 'action' && current !== undefined && current.home !== given.parent
    if (isMoved) throw new Refusal('VALIDATION_ERROR', 'an action cannot change its connection. Give it another key to create it there.')
    const { form, secret } = await secretOf(planning, given, current, missing)
    const defaults = defaultsOf({ ...given, form: { ...current?.form, ...form } }, model)
    const before = current?.form ?? {}
    const base = current ? current.form : defaults
    const next = withModel(merged(withDefaults(base, given.unset, defaults), form), given, before)
    check(given, next, current)
    const { content, changes: texts, isReplaced } = await contentOf(planning, given, current, next)
    const changes = [
      ...diffOf(given.kind === 'action' ? { ...before, schema_digest: next['schema_digest'] } : before, next), ...texts,
      ...(secret === undefined ? [] : [{ field: given.kind === 'business' ? 'team_chat_url' : 'secret', from: before['secret'] ?? null, to: KEPT_SECRET }])
    ]
    const was = current && current.key !== given.key && given.kind !== 'business' ? current.key : null
    const action = changes.length > 0 || was !== null ? 'change' : 'same'
    return {
      action: current ? action : 'create',
      kind: given.kind,
      place: given.place,
      given,
      next,
      changes,
      was,
      isReplaced,
      ...(current && { current }),
      ...(secret !== undefined && { secret }),
      ...(content && { content })
    }
  } catch (error) {
    throw located(said, error)
  }
}

/** The same refusal with where in the files it comes from. */
export function located ({ at }: Pick<Declared, 'at'>, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { code, message, details, fields, headers } = error
  if (details.length > 0) return invalid(...details.map((one) => ({ ...one, message: `${at}: ${one.message}` })))
  return new Refusal(code, `${at}: ${message}`, { fields, headers, cause: error })
}

/** What is said of a secret, taken out of the form; undefined: it stays. */
async function secretOf (
  { secrets, openedOf }: Planning, { kind, form: given, place }: Declared, current: Current | undefined,
  missing: string[]
): Promise<{ form: Form, secret?: string | null }> {
  const field = kind === 'business' ? 'team_chat_url' : 'secret'
  const { [field]: said, ...form } = given
  if ((kind !== 'business' && kind !== 'connection') || said === undefined) return { form: given }
  if (said === null) return { form: { ...form, [field]: null } }
  const { env, keep = false } = said as Secret
  const value = env === undefined ? undefined : ownProperty(secrets, env)
  const isThere = current !== undefined && current.form[field] !== null
  if (value === undefined) {
    // A team's chat that nobody named is none; a connection may need none either.
    if (!(keep && isThere) && !(keep && (kind === 'business' || form['auth'] === 'none' || form['auth'] === undefined))) {
      missing.push(env ?? `${place}: keep`)
    }
    return { form: { ...form, ...(isThere && { [field]: KEPT_SECRET }) } }
  }
  if (isThere && await openedOf(current) === value) return { form: { ...form, [field]: KEPT_SECRET } }
  return { form: { ...form, [field]: isThere ? KEPT_SECRET : null }, secret: value }
}

function merged (old: unknown, said: unknown): Form {
  if (!isForm(old) || !isForm(said)) return said as Form
  const next = { ...old }
  for (const [name, value] of Object.entries(said)) next[name] = merged(ownProperty(old, name), value)
  return next
}

const isForm = (value: unknown): value is Form => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A form with the defaults of these fields. Refuses with VALIDATION_ERROR a field that has none. */
function withDefaults (form: Form, unset: readonly string[], defaults: Form): Form {
  let next = form
  for (const field of unset) {
    const path = field.split('.')
    const value = path.reduce<unknown>(
      (at, step) => isForm(at) && Object.hasOwn(at, step) ? at[step] : undefined, defaults
    )
    if (value === undefined) throw new Refusal('VALIDATION_ERROR', `${field} has no default: give a value, or leave it out to keep it.`)
    next = replacedAt(next, path, value)
  }
  return next
}

function replacedAt (form: Form, [first, ...rest]: string[], value: unknown): Form {
  const inner = form[first!]
  return { ...form, [first!]: rest.length === 0 ? value : replacedAt(isForm(inner) ? inner : {}, rest, value) }
}

/** Languages that files take away; a model that is another is shown by another name, unless files say one. */
function withModel (next: Form, { kind, form }: Declared, before: Form): Form {
  if (kind !== 'agent') return next
  const translations = Object.entries(next['translations'] as Form).filter(([, texts]) => texts !== null)
  const model = next['model'] as { response_model: string, display_model: string }
  const isNamed = (form['model'] as Form | undefined)?.['display_model'] !== undefined
  const isOther = (form['model'] as Form | undefined)?.['response_model'] !== undefined &&
    model.response_model !== (before['model'] as typeof model | undefined)?.response_model
  return {
    ...next,
    translations: Object.fromEntries(translations),
    model: isOther && !isNamed ? { ...model, display_model: displayName(model.response_model) } : model
  }
}

const checkAgent = compileValidator({ schema: AgentPatch, httpPart: 'body', method: 'PUT', url: '' } as never)

function check ({ kind, form }: Declared, next: Form, current: Current | undefined) {
  const lacking = current ? undefined : REQUIRED[kind].find((field) => form[field] === undefined)
  if (lacking !== undefined) {
    const where = lacking === 'systemPrompt' ? ': write it in prompt.md beside agent.yaml' : ''
    throw new Refusal('VALIDATION_ERROR', `${lacking} is needed to create ${NAMES[kind]}${where}.`)
  }
  if (kind === 'action' && current && form['name'] !== undefined && form['name'] !== current.form['name']) {
    throw new Refusal('VALIDATION_ERROR', `the name of an action cannot change: it is ${String(current.form['name'])}.`)
  }
  if (kind !== 'agent') return
  const { systemPrompt, behavior } = next as { systemPrompt: string, behavior: Form }
  const { error } = checkAgent({
    systemPrompt, behavior: { escalationPrompt: behavior['escalationPrompt'], agentHandoffPrompt: behavior['agentHandoffPrompt'] }
  }) as { error?: Error }
  if (error) throw error
}

const NAMES: Record<ConfigKind, string> = {
  business: 'the account', webhook: 'a webhook', connection: 'a connection', action: 'an action', agent: 'an agent', source: 'a source', question: 'a question'
}

/** Whether the text, the file or the address of a source is another; completes `next` with what sort it is. */
async function contentOf (
  { contents }: Planning, { kind, form, content: said }: Declared, current: Current | undefined, next: Form
): Promise<{ content?: Buffer, changes: FieldChange[], isReplaced: boolean }> {
  if (kind !== 'source') return { changes: [], isReplaced: false }
  const { sha256: digest, ...rest } = next
  for (const name of Object.keys(next)) delete next[name]
  Object.assign(next, rest, { type: typeOf(form, said) })
  const bytes = said && ('text' in said ? Buffer.from(said.text) : contents.get(said.path)!)
  const isFile = form['name'] !== undefined
  // A text may be 30 MiB: yields between the operations on it.
  if (bytes && bytes.length > LARGE) await nextTurn()
  const content = bytes && (isFile || 'text' in said! ? bytes : withoutLastLine(bytes))
  if (content && !isFile && isBlankIn(content)) throw new Refusal('VALIDATION_ERROR', 'its text is empty.')
  if (content && typeof digest === 'string' && digest !== await sha256Apart(content)) throw new Refusal('VALIDATION_ERROR', 'sha256 does not match: the file has changed, or it is damaged.')
  if (!current) return { ...(content && { content }), changes: [], isReplaced: false }
  const { form: before } = current
  const isReplaced = ['type', 'urls', 'drive', 'name'].some((field) => !isDeepStrictEqual(before[field], next[field]))
  for (const field of ['urls', ...CRAWL_FIELDS, 'drive', 'name']) if (isReplaced && form[field] === undefined && next['type'] !== before['type']) delete next[field]
  const isOther = content !== undefined && (isReplaced || await current.digest?.() !== await sha256Apart(content))
  if (!isOther) return { changes: [], isReplaced }
  const field = isFile ? 'file' : 'text'
  const old = !isFile && !isReplaced && content.length <= SHOWN_BYTES ? await current.bytes!() : undefined
  const isShown = old !== undefined && old.length <= SHOWN_BYTES
  const [change] = isShown ? diffOf({ [field]: old.toString() }, { [field]: content.toString() }) : []
  return {
    content,
    isReplaced: isReplaced || isFile,
    changes: [change ?? { field, from: await current.digest?.() ?? null, to: await sha256Apart(content) }]
  }
}

/** Bytes that are looked at for something other than blanks, at both ends of a text. */
const LOOKED_AT = 2 ** 20
const LARGE = 2 ** 18

/** A text without the line break at its end. */
function withoutLastLine (bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) return Buffer.from(textOf(bytes))
  return bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes
}

const isBlankIn = (bytes: Buffer) =>
  bytes.subarray(0, LOOKED_AT).toString().trim() === '' && bytes.subarray(-LOOKED_AT).toString().trim() === ''

function typeOf (form: Form, content: Declared['content']): string {
  if (form['urls'] !== undefined) return 'website'
  if (form['drive'] !== undefined) return 'google_drive'
  if (form['name'] !== undefined) return String(form['type'] ?? 'docs')
  return content && 'text' in content ? 'faq' : 'text'
}

/** Bytes that a step trains; undefined if it trains nothing. */
export function trainsOf ({ kind, action, content, isReplaced, changes }: Step): number | undefined {
  if (kind !== 'source' || (action !== 'create' && action !== 'change')) return undefined
  const isAnew = action === 'create' || isReplaced || content !== undefined ||
    changes.some(({ field }) => field !== 'refresh_hours' && isOneOf(CRAWL_FIELDS, field))
  return isAnew ? content?.length ?? 0 : undefined
}

/** A plan as people and programs are shown it. */
export async function shownPlan ({ steps, missing, digests }: Planned, drift: ConfigDrift[]): Promise<ConfigPlan> {
  await nextTurn()
  const changes = changesOf(steps)
  await nextTurn()
  return {
    changes,
    unchanged: steps.filter(({ action }) => action === 'same').length,
    drift,
    missing_secrets: missing,
    training: trainingOf(steps),
    digests
  }
}

export function changesOf (steps: readonly Step[]): ConfigPlan['changes'] {
  return steps.flatMap((step) => {
    const { action, kind, place, given, changes, was } = step
    return action === 'same' ? [] : [{ place, kind, file: given?.file ?? '', action, was, changes, trains: trainsOf(step) ?? 0 }]
  })
}

export function trainingOf (steps: readonly Step[]): ConfigPlan['training'] {
  const all = steps.flatMap((step) => trainsOf(step) ?? [])
  return { sources: all.length, bytes: all.reduce((sum, bytes) => sum + bytes, 0) }
}
