import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../../platform/errors.ts'
import { faultsInSteps } from '../../platform/http/validation.ts'
import { onceEach } from '../../platform/lazily.ts'
import type { Form, Declared, DeclaredFiles } from '../contract.ts'
import {
  AgentFile, BusinessFile, ConnectionFile, FORMAT, GROUP_OF, Head, homeOf, KEY, PROMPTS, QuestionsFile, SourcesFile,
  WebhooksFile
} from './format.ts'
import type { ParsedFile } from './parse.ts'

/** A file whose shape is right. */
interface ReadFile {
  value: unknown
  /** The fields unset below a path. */
  unsetIn (path: ReadonlyArray<string | number>): ParsedFile['unset']
  /** `file:line:column` of a field, or of what it would be in. */
  at (path: ReadonlyArray<string | number>): string
}

/** Files that a source names: its text, a table of questions and answers, or a document. */
interface Named { text?: string | undefined, faq?: string | undefined, file?: string | undefined }

type Item = Form & { key?: string, was?: string, lock?: boolean }

/** Maximum faults reported at once. */
const MOST_FAULTS = 50
const NEWER = `This program reads format ${FORMAT}. The files are of a newer one: update the program, or export them with this one.`

/** Whether a file holds values. The others are prompts, texts and files that sources are made of. */
export const isStructured = (path: string) => /\.(?:ya?ml|json|csv)$/i.test(path) && !isBytes(path)
function isBytes (path: string): boolean {
  const name = path.toLowerCase()
  const [folder, dot] = [name.indexOf('/knowledge/'), name.lastIndexOf('.')]
  return folder !== -1 && dot > folder && name.slice(dot) !== '.csv'
}

/**
 * What the files of a directory say: `paths` of all, and what those that hold values hold. Refuses with
 * VALIDATION_ERROR what is wrong with them, all at once, each with file, line and column. Stops between their objects.
 */
export function * readFiles (paths: readonly string[], files: readonly ParsedFile[]): Generator<void, DeclaredFiles> {
  const reading = new Reading(paths, files)
  const head = yield * reading.head()
  yield * reading.every()
  yield * reading.refuseWhatIsTwice(head.manage)
  reading.finish()
  return { manage: head.manage, objects: reading.objects }
}

class Reading {
  readonly objects: Declared[] = []
  readonly #faults: string[] = []
  readonly #paths: ReadonlySet<string>
  readonly #files: ReadonlyMap<string, ParsedFile>
  readonly #used = new Set<string>()
  /** Texts and tables of directories by these: none of their names is an expression. */
  readonly #knowledge: ReadonlyMap<string, readonly string[]>

  constructor (paths: readonly string[], files: readonly ParsedFile[]) {
    this.#paths = new Set(paths)
    this.#knowledge = Map.groupBy(this.#paths, (path) => path.slice(0, Math.max(0, path.lastIndexOf('/knowledge/'))))
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  finish () {
    if (this.#faults.length > 0) throw faulty(this.#faults)
  }

  * head (): Generator<void, Head> {
    const path = this.#named('agenthall')
    if (path === undefined) throw faulty(['agenthall.yaml is missing: it says "format: 1" and what is managed, such as "manage: [agents]".'])
    // The format is checked first: nothing else is known of a newer one.
    const { value, places } = this.#files.get(path)!
    const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
    if (typeof format === 'number' && format > FORMAT) throw faulty([`${path}:${places.get('format')}: ${NEWER}`])
    const read = yield * this.#read(path, Head)
    this.finish()
    return read!.value as Head
  }

  * every (): Generator<void, void> {
    const business = this.#named('business')
    if (business !== undefined) yield * this.#business(business)
    const webhooks = this.#named('webhooks')
    if (webhooks !== undefined) yield * this.#webhooks(webhooks)
    for (const path of this.#paths) {
      yield
      const [, key, rest] = /^agents\/([^/]+)\/([^/]+)$/.exec(path) ?? []
      if (/^agent\.(?:ya?ml|json)$/.test(rest ?? '')) yield * this.#agent(path, key!)
      else if (/^actions\/[^/]+\.(?:ya?ml|json)$/.test(path)) yield * this.#connection(path)
    }
    for (const path of this.#paths) {
      if (!this.#used.has(path) && !isPassedOver(path)) this.#fault(`${path}: no file of this name belongs to a configuration here. Is it misspelt, or is its agent.yaml missing?`)
    }
  }

  * refuseWhatIsTwice (manage: readonly string[]): Generator<void, void> {
    const known = new Map<string, Declared>()
    for (const object of this.objects) {
      const same = known.get(object.place)
      if (same) this.#fault(`${object.at}: the key ${object.key} is already used at ${same.at}.`)
      known.set(object.place, object)
      if (!manage.includes(GROUP_OF[object.kind])) {
        this.#fault(`${object.at}: agenthall.yaml does not manage ${GROUP_OF[object.kind]}. Add it there, or remove this.`)
      }
      yield
    }
    for (const { was, at, place, key } of this.objects) {
      if (was === key) this.#fault(`${at}: was names the key that it still has.`)
      const before = was === undefined ? undefined : homeOf(place) + was
      const other = before === undefined ? undefined : known.get(before)
      if (other && other.was === undefined) this.#fault(`${at}: was names ${was}, which is the key of another at ${other.at}.`)
    }
  }

  * #business (path: string): Generator<void, void> {
    const read = yield * this.#read(path, BusinessFile)
    if (read) this.#add(read, [], { kind: 'business', place: 'business', key: 'business', file: path }, read.value as Item)
  }

  * #webhooks (path: string): Generator<void, void> {
    const read = yield * this.#read(path, WebhooksFile)
    for (const [item, at] of itemsOf(read)) {
      this.#add(read!, at, { kind: 'webhook', place: `webhooks/${item.key}`, key: item.key!, file: path }, item)
    }
  }

  * #connection (path: string): Generator<void, void> {
    const read = yield * this.#read(path, ConnectionFile)
    if (!read) return
    const { actions, ...item } = read.value as Item & { actions?: Item[] }
    const place = `connections/${item.key}`
    this.#add(read, [], { kind: 'connection', place, key: item.key!, file: path }, item)
    for (const [i, action] of (actions ?? []).entries()) {
      const made = { kind: 'action' as const, place: `actions/${action.key}`, key: action.key!, parent: place, file: path }
      this.#add(read, ['actions', i], made, { ...action, ...lockOf(item) })
    }
  }

  * #agent (path: string, folder: string): Generator<void, void> {
    const read = yield * this.#read(path, AgentFile)
    const home = `agents/${folder}`
    for (const name of Object.keys(PROMPTS)) this.#used.add(`${home}/${name}`)
    const key = (read?.value as Item | undefined)?.key ?? folder
    const place = `agents/${key}`
    if (read) {
      if (key !== folder) this.#fault(`${read.at(['key'])}: the key is the name of the directory, ${folder}. Rename one of them, and say in was: what it was.`)
      this.#add(read, [], { kind: 'agent', place, key, file: path }, read.value as Item)
    }
    const lock = lockOf(read?.value as Item | undefined)
    yield * this.#sources(home, place, lock)
    const questions = this.#named(`${home}/questions`)
    const asked = questions === undefined ? undefined : yield * this.#read(questions, QuestionsFile)
    for (const [item, at] of itemsOf(asked)) {
      const made = { kind: 'question' as const, place: `${place}/questions/${item.key}`, key: item.key!, parent: place, file: questions! }
      this.#add(asked!, at, made, { ...item, ...lock })
      yield
    }
  }

  * #sources (home: string, parent: string, lock: { lock?: boolean }): Generator<void, void> {
    const path = this.#named(`${home}/sources`)
    const read = path === undefined ? undefined : yield * this.#read(path, SourcesFile)
    for (const [item, at] of itemsOf(read)) {
      const { text, faq, file, name, ...form } = item as Item & Named & { name?: string }
      const made = { kind: 'source' as const, place: `${parent}/sources/${item.key}`, key: item.key!, parent, file: path! }
      const ways = [text, faq, file, form['urls'], form['drive']].filter((way) => way !== undefined)
      if (ways.length !== 1) this.#fault(`${read!.at(at)}: give exactly one of text, faq, file, urls and drive.`)
      const content = this.#content({ text, faq, file }, home, () => read!.at(at))
      this.#add(read!, at, { ...made, ...content }, {
        ...form, ...lock, ...(file !== undefined && { name: name ?? file.slice('knowledge/'.length) })
      })
      yield
    }
    this.#loose(home, parent, lock)
  }

  /** Texts and tables of a directory that no list names: each is a source of its own. */
  #loose (home: string, parent: string, { lock = false }: { lock?: boolean }) {
    for (const path of this.#knowledge.get(home) ?? []) {
      const [, key, end] = /^([^/]+)\.(md|csv)$/.exec(path.slice(`${home}/knowledge/`.length)) ?? []
      if (key === undefined || this.#used.has(path)) continue
      if (!new RegExp(KEY).test(key)) {
        this.#fault(`${path}: without a line in sources.yaml its name becomes its key, which may only have a-z, 0-9, - and _.`)
        this.#used.add(path)
        continue
      }
      const content = this.#content(end === 'md' ? { text: path } : { faq: path }, '', () => path)
      this.objects.push({
        kind: 'source', place: `${parent}/sources/${key}`, key, parent, isLocked: lock, file: path, at: `${path}:1:1`, form: {}, unset: [], ...content
      })
    }
  }

  #content (
    { text, faq, file }: Named, home: string, at: () => string
  ): { content?: { path: string } | { text: string } } {
    const named = text ?? faq ?? file
    if (named === undefined) return {}
    const path = home === '' ? named : `${home}/${named}`
    this.#used.add(path)
    if (!this.#paths.has(path)) this.#fault(`${at()}: there is no file ${path}.`)
    return faq === undefined ? { content: { path } } : { content: { text: this.#pairs(path) } }
  }

  #pairs (path: string): string {
    const file = this.#files.get(path)
    this.#faults.push(...file?.faults ?? [])
    return typeof file?.value === 'string' ? file.value : ''
  }

  #add (
    read: ReadFile, at: Array<string | number>, made: Omit<Declared, 'isLocked' | 'at' | 'form' | 'unset'>, item: Item
  ) {
    const { key: _key, was, lock, ...form } = item
    const unset = read.unsetIn(at)
      .filter((path) => at.length > 0 || path[0] !== 'actions' || made.kind !== 'connection')
      .map((path) => path.slice(at.length).join('.'))
    const inner = unset.find((path) => /^(?:key|was|lock)$/.test(path))
    if (inner !== undefined) this.#fault(`${read.at(at)}: ${inner} cannot be unset; leave it out.`)
    this.objects.push({
      ...made, ...(was !== undefined && { was }), isLocked: lock ?? false, at: read.at(at.length > 0 ? [...at, 'key'] : ['key']), form, unset
    })
  }

  * #read (path: string, shape: TSchema): Generator<void, ReadFile | undefined> {
    this.#used.add(path)
    const { value, unset, places, faults } = this.#files.get(path)!
    const at = (steps: ReadonlyArray<string | number>) => {
      let known = steps.length
      while (known > 0 && !places.has(steps.slice(0, known).join('/'))) known--
      return `${path}:${places.get(steps.slice(0, known).join('/')) ?? '1:1'}`
    }
    const wrong = faults.length > 0 ? faults : yield * faultsOf(shape, value, at)
    this.#faults.push(...wrong)
    return wrong.length > 0 ? undefined : { value, unsetIn: unsetIn(unset), at }
  }

  /** The file with a name, with any extension. */
  #named (name: string): string | undefined {
    const found = ['yaml', 'yml', 'json'].map((end) => `${name}.${end}`).filter((path) => this.#paths.has(path))
    if (found.length > 1) this.#fault(`${found[1]}: there is ${found[0]} too. Keep one of them.`)
    for (const path of found) this.#used.add(path)
    return found[0]
  }

  #fault (message: string) {
    this.#faults.push(message)
  }
}

/** Finds unset fields by path, in one pass for each depth requested. */
function unsetIn (all: ParsedFile['unset']): ReadFile['unsetIn'] {
  const byDepth = onceEach((depth: number) => Map.groupBy(all, (path) => JSON.stringify(path.slice(0, depth))))
  return (at) => byDepth(at.length).get(JSON.stringify(at)) ?? []
}

/** What belongs to something that is locked is locked. */
const lockOf = (item: Item | undefined) => item?.lock === undefined ? {} : { lock: item.lock }

const faultsOfShape = onceEach(faultsInSteps)

function * faultsOf (shape: TSchema, value: unknown, at: ReadFile['at']): Generator<void, string[]> {
  // Others have their turn first: what came before took its time too.
  yield
  return (yield * faultsOfShape(shape)(value)).map(({ field, message }) => `${at(pathOf(field))}: ${message}`)
}

/** `behavior.suggestions[2]` as a path. */
const pathOf = (field: string) =>
  field.split(/[.[\]]+/).filter(Boolean).map((step) => /^\d+$/.test(step) ? Number(step) : step)

const faulty = (faults: readonly string[]) =>
  invalid(...faults.slice(0, MOST_FAULTS).map((message) => ({ field: 'plan.files', message })))

function itemsOf (read: ReadFile | undefined): Array<[item: Item, at: Array<string | number>]> {
  return ((read?.value ?? []) as Item[]).map((item, i) => [item, [i]])
}

/** Files next to a configuration that are not part of it. */
const isPassedOver = (path: string) => /^(?:README|LICENSE|CHANGELOG)[^/]*$|^plan\.json$|(?:^|\/)\./i.test(path)
