import { mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

// npm run walk -- message|search|upload [--list|--trace]   How far one request walks through the source: a server is
// started on a new file, the request is made once to warm up, and the second time every function of ours that is
// entered is recorded in order. `--list` names the files as they are first entered, `--trace` each function. What runs
// in child processes is not seen.

const SOURCE = path.join(import.meta.dirname, '../src/')
const SITE = 'https://shop.example.com'
const QUESTION = 'How many days do I have to return something?'

/** Every function of a loaded file, `conversations/talk/say.ts:12 say`, by the number recorded on entry. */
const functions: string[] = []
/** The numbers of functions in the order in which they were entered; undefined while not recording. */
let entered: number[] | undefined
Object.assign(globalThis, { enterFunction: (number: number) => { entered?.push(number) } })

/** A source with a call at the beginning of each of its functions. */
function instrumented (file: string, source: string): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const inserted: Array<[at: number, text: string]> = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1
      const name = 'name' in node && node.name ? ` ${node.name.getText()}` : ''
      const call = `enterFunction(${functions.push(`${path.relative(SOURCE, file)}:${line}${name}`) - 1})`
      if (ts.isBlock(node.body)) inserted.push([node.body.getStart() + 1, `${call};`])
      else inserted.push([node.body.getStart(), `(${call}, `], [node.body.end, ')'])
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  // From the end; of two at one offset, the one that closes the inner comes first.
  const last = inserted.map((one, order) => ({ one, order })).sort((a, b) => b.one[0] - a.one[0] || a.order - b.order)
  return last.reduce((text, { one: [at, call] }) => text.slice(0, at) + call + text.slice(at), source)
}

registerHooks({
  load (url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith('file:')) return loaded
    const file = fileURLToPath(url)
    return file.startsWith(SOURCE) && file.endsWith('.ts')
      ? { ...loaded, source: instrumented(file, String(loaded.source)) }
      : loaded
  }
})

type Headers = Record<string, string>
type Answer = Pick<import('light-my-request').Response, 'statusCode' | 'body' | 'json'>
/** A server with an agent that knows about returns and is on a site. */
interface Server {
  post (url: string, body: object | string, headers?: Headers): Promise<Answer>
  /** Until there is no background work left. */
  settled (): Promise<void>
  /** Until the agent has answered the next message in full. */
  answered (): Promise<void>
  owner: Headers
  agent: number
  /** The widget's key. */
  site: string
}

async function withServer (use: (server: Server) => Promise<void>): Promise<void> {
  const [{ buildApp }, { readConfig }, { openStores }, { systemClock }] = await Promise.all([
    import('../src/app.ts'), import('../src/config.ts'), import('../src/stores.ts'), import('../src/platform/clock.ts')
  ])
  const directory = mkdtempSync(path.join(tmpdir(), 'walk-'))
  const [config, clock] = [readConfig({}), systemClock()]
  const stores = await openStores({ config, directory, clock })
  const app = await buildApp({ config, stores, clock })
  const worker = await stores.work((error) => { throw error })
  const post: Server['post'] = async (url, payload, headers = {}) => {
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    if (answer.statusCode >= 400) throw new Error(`${url} was answered with ${answer.statusCode}: ${answer.body}`)
    return answer
  }
  const answered = () => new Promise<void>((resolve) => stores.eventBus.on('all', function * (happened) {
    // Once it is on the disk.
    if (happened.type === 'message.completed' && happened.data.message.role === 'agent') setTimeout(resolve, 100)
  }))
  try {
    const { key } = await stores.access.createUser({ name: 'Somebody', tier: 'enterprise' })
    const owner = { authorization: `Api-Key ${key}` }
    const made = async (url: string, body: object) => (await post(url, body, owner)).json().data.id
    const agent = await made('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })
    await post(
      `/v1/agents/${agent}/knowledge_sources`,
      { title: 'Returns', plain_text: 'Returns are accepted within 30 days of delivery.' },
      owner
    )
    const site = await made(`/v1/agents/${agent}/widget_keys`, { name: 'Shop', origins: [SITE] })
    await worker.settled()
    await use({ post, settled: worker.settled, answered, owner, agent, site })
  } finally {
    await worker.stop()
    await app.close()
    await stores.close()
    rmSync(directory, { recursive: true })
  }
}

/** Each request that is traced: its prerequisites are made at once, and the function returned is the walk. */
const WALKS: Record<string, (server: Server) => Promise<() => Promise<unknown>>> = {
  /** A visitor's message in the widget, answered from the sources. */
  async message ({ post, site, settled, answered }) {
    const { token } = (await post('/v1/widget/session', { key: site }, { origin: SITE })).json().data
    const visitor = { origin: SITE, authorization: `Bearer ${token}` }
    const { id } = (await post('/v1/widget/conversations', {}, visitor)).json().data
    await settled()
    return async () => {
      const over = answered()
      await post(`/v1/widget/conversations/${id}/messages`, { text: QUESTION }, visitor)
      await over
    }
  },
  async search ({ post, agent, owner }) {
    return async () => await post(`/v1/agents/${agent}/search`, { query: QUESTION }, owner)
  },
  /** A file that is uploaded, read and trained. */
  async upload ({ post, agent, owner, settled }) {
    const file = [
      '--walk', 'content-disposition: form-data; name="files"; filename="delivery.md"', 'content-type: text/markdown', '',
      '# Delivery', '', 'Parcels take three days.', '--walk--', ''
    ].join('\r\n')
    const headers = { ...owner, 'content-type': 'multipart/form-data; boundary=walk' }
    return async () => {
      await post(`/v1/agents/${agent}/knowledge_sources`, file, headers)
      await settled()
    }
  }
}

/** What a walk goes through: each function, file and folder once, and how often it moves to another one. */
function figuresOf (walk: readonly number[]) {
  const files = walk.map((number) => functions[number]!.split(':', 1)[0]!)
  const folders = files.map((file) => path.dirname(file))
  const changes = (places: readonly string[]) => places.filter((place, at) => at > 0 && place !== places[at - 1]).length
  return {
    functions: new Set(walk).size,
    files: new Set(files),
    folders: new Set(folders).size,
    features: new Set(files.map((file) => file.split('/', 1)[0]!)).size,
    changesOfFile: changes(files),
    changesOfFolder: changes(folders)
  }
}

const [name = '', ...flags] = process.argv.slice(2)
const walkOf = WALKS[name]
if (walkOf === undefined) {
  console.error(`Say which walk: npm run walk -- ${Object.keys(WALKS).join('|')} [--list|--trace]`)
  process.exit(2)
}
await withServer(async (server) => {
  await (await walkOf(server))()
  await server.settled()
  const walk = await walkOf(server)
  const trace: number[] = entered = []
  await walk()
  entered = undefined
  const { files, ...figures } = figuresOf(trace)
  console.log(`${name}: ${files.size} files, ${Object.entries(figures).map(([what, n]) => `${n} ${what}`).join(', ')}`)
  if (flags.includes('--list')) console.log([...files].join('\n'))
  if (flags.includes('--trace')) console.log(trace.map((number) => functions[number]).join('\n'))
})
