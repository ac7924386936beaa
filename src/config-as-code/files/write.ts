import { isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import type { ConfigFile, Managed } from '../../../schema/config.ts'
import { Refusal } from '../../platform/errors.ts'
import { textOfPairs, type Pair } from '../../reading/pairs.ts'
import type { Form } from '../contract.ts'
import { sha256Apart } from '../../platform/digest.ts'
import { takingTurns } from '../../platform/work/slices.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import type { Current } from '../current.ts'
import { FORMAT, GROUP_OF, PROMPTS } from './format.ts'
import { yamlOf } from './yaml.ts'

/** A file of an export; its bytes are read on demand, as documents may be large. */
export interface ConfigFileMade { path: string, bytes: () => Promise<Buffer> }

type Locks = ReadonlyMap<string, boolean>

/** Everything as files, in the order of their names, byte for byte the same as long as nothing changes. */
export async function filesOf (
  current: readonly Current[],
  { agent, manage, locks }: { agent: string | undefined, manage: readonly Managed[], locks: Locks }
): Promise<ConfigFileMade[]> {
  const sorted = current.toSorted((a, b) => a.place < b.place ? -1 : 1)
  const all = agent === undefined ? sorted : sorted.filter(({ place }) => `${place}/`.startsWith(`agents/${agent}/`))
  if (agent !== undefined && all.length === 0) throw new Refusal('not_found', `There is no agent with the key ${agent}.`)
  await nextTurn()
  const byHome = Map.groupBy(all, ({ kind, home }) => `${kind} ${home}`)
  const of = (kind: Current['kind'], home: string | null = null) =>
    manage.includes(GROUP_OF[kind]) ? byHome.get(`${kind} ${home}`) ?? [] : []
  const files: ConfigFileMade[] = [yaml('agenthall.yaml', { format: FORMAT, manage })]
  const locked = ({ kind, id }: Current) => locks.get(`${kind} ${id}`) ? { lock: true } : {}
  for (const one of of('business')) files.push(yaml('business.yaml', { ...locked(one), ...withSecret(one, 'team_chat_url', 'TEAM_CHAT_URL') }))
  const webhooks = of('webhook')
  if (webhooks.length > 0) files.push(yaml('webhooks.yaml', webhooks.map((one) => ({ key: one.key, ...locked(one), ...one.form }))))
  for (const one of of('connection')) {
    const actions = of('action', one.place).map(({ key, form, record }) => (
      { key, ...form, ...withDigest(record as { schema_digest: string | null }) }
    ))
    files.push(yaml(`actions/${one.key}.yaml`, {
      key: one.key, ...locked(one), ...withSecret(one, 'secret', `${one.key.toUpperCase().replaceAll('-', '_')}_SECRET`), actions
    }))
  }
  const turn = takingTurns()
  for (const one of of('agent')) {
    await turn()
    for (const file of await agentFiles(one, of('source', one.place), of('question', one.place), locked(one))) files.push(file)
  }
  await nextTurn()
  return files.sort((a, b) => a.path < b.path ? -1 : 1)
}

/** Of a tool; one of which nobody said what it looked like has an empty one, as it has without. */
const withDigest = ({ schema_digest: digest }: { schema_digest: string | null }) =>
  digest ? { schema_digest: digest } : {}

/** A form with its secret as a reference: to the environment, or to the existing one. */
function withSecret ({ form }: Current, field: string, name: string): Form {
  const { [field]: secret, ...rest } = form
  const env = /^\d/.test(name) ? `_${name}` : name
  return secret === null ? rest : { ...rest, [field]: { env: env.slice(0, 64), keep: true } }
}

async function agentFiles (
  agent: Current, sources: readonly Current[], questions: readonly Current[], lock: object
): Promise<ConfigFileMade[]> {
  const home = `agents/${agent.key}`
  const form = structuredClone(agent.form)
  const files: ConfigFileMade[] = []
  for (const [name, field] of Object.entries(PROMPTS)) {
    const [group, inner] = field.split('.') as [string, string?]
    const from = (inner === undefined ? form : form[group]) as Form
    files.push(text(`${home}/${name}`, String(from[inner ?? group])))
    delete from[inner ?? group]
  }
  files.push(yaml(`${home}/agent.yaml`, { key: agent.key, ...lock, ...form }))
  if (questions.length > 0) files.push(yaml(`${home}/questions.yaml`, questions.map(({ key, form: said }) => ({ key, ...said }))))
  const items: Form[] = []
  const turn = takingTurns()
  for (const source of sources) {
    await turn()
    const { item, file } = await sourceFile(source, home)
    items.push(item)
    if (file) files.push(file)
  }
  if (items.length > 0) files.push(yaml(`${home}/sources.yaml`, items))
  return files
}

async function sourceFile (
  { key, form, bytes }: Current, home: string
): Promise<{ item: Form, file?: ConfigFileMade }> {
  const { type, name, ...rest } = form as Form & { type: string, name?: string }
  if (!bytes) return { item: { key, ...rest } }
  if (name !== undefined) {
    const end = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0].toLowerCase() ?? '.bin'
    const path = `knowledge/${key}.file${end}`
    const content = await bytes()
    return {
      item: { key, ...rest, ...(type !== 'docs' && { type }), file: path, name, sha256: await sha256Apart(content) },
      file: { path: `${home}/${path}`, bytes }
    }
  }
  const written = (await bytes()).toString()
  const pairs = type === 'faq' ? pairsOf(written) : undefined
  const path = `knowledge/${key}.${pairs ? 'csv' : 'md'}`
  return {
    item: { key, ...rest, ...(pairs ? { faq: path } : { text: path }) },
    file: text(`${home}/${path}`, pairs ? tableOf(pairs) : written)
  }
}

/** Questions and answers of a text that was made of such. */
function pairsOf (written: string): Pair[] | undefined {
  const pairs = written.split('\n\n').map((pair) => ({ question: pair.split('\n')[0]!, answer: pair.split('\n').slice(1).join('\n') }))
  return textOfPairs(pairs) === written && pairs.every(({ question, answer }) => question && answer) ? pairs : undefined
}

const cell = (value: string) => `"${value.replaceAll('"', '""')}"`
const tableOf = (pairs: readonly Pair[]) =>
  ['question,answer', ...pairs.map(({ question, answer }) => `${cell(question)},${cell(answer)}`)].join('\n')

const text = (path: string, content: string): ConfigFileMade => ({ path, bytes: async () => Buffer.from(`${content}\n`) })

const yaml = (path: string, value: unknown): ConfigFileMade => ({
  path,
  async bytes () {
    const pieces: Buffer[] = []
    const turn = takingTurns()
    for (const piece of yamlOf(value)) {
      pieces.push(Buffer.from(piece))
      await turn()
    }
    return Buffer.concat(pieces)
  }
})

/** Bytes of a file written at once; a multiple of three, for base64. */
const PIECE = 3 * 2 ** 17

const isText = (bytes: Buffer) => isUtf8(bytes) && !bytes.includes(0)

/** A file as requests and answers carry it: a text where its bytes are one. */
export function carried (path: string, bytes: Buffer): ConfigFile {
  return isText(bytes) ? { path, text: bytes.toString() } : { path, base64: bytes.toString('base64') }
}

/** The same as JSON, in pieces. */
export function * carriedAsJson (path: string, bytes: Buffer): Generator<string> {
  const as = isText(bytes) ? 'text' : 'base64'
  yield `{"path":${JSON.stringify(path)},"${as}":"`
  const decoder = new StringDecoder(as === 'text' ? 'utf8' : 'base64')
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield JSON.stringify(decoder.write(bytes.subarray(at, at + PIECE))).slice(1, -1)
  }
  yield `${decoder.end()}"}`
}
