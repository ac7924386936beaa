import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { Id } from '../../schema/common.ts'
import { KINDS, OUTCOMES, planApart, type Item, type Plan } from '../imports/index.ts'
import { errorCode, errorMessage, invalid, Refusal } from '../platform/errors.ts'
import { egress } from '../platform/net/egress.ts'
import { VERSION } from '../version.ts'
import { actorOf } from './agents.ts'
import { command, idFrom, inLine, onCommandLine, print, withStores, type CommonOptions, type CliIo } from './common.ts'
import { filesIn } from './knowledge/add.ts'

interface ImportOptions extends CommonOptions {
  from: string, user?: string, dryRun?: boolean, report?: string, agent?: string, new?: boolean
}

/** Maximum bytes of a downloaded file: as many as an archive may have. */
const MOST_FETCHED = 100 * 2 ** 20

const NAMES: Record<Item['outcome'], string> = {
  carried: 'carried', changed: 'carried, changed', not_carried: 'not carried', ignored: 'ignored'
}

/** `import`: agents from another product's export, and a report on each part. */
export function importCommand (io: CliIo): Command {
  return command(
    'import', 'create agents from an export of another product; they answer nobody until set to Active',
    'import --dry-run app.yml', 'import assistants/ --report report.json', 'import https://example.com/export.zip'
  )
    .argument('<path...>', 'a file, a directory, a zip archive, or the address (https://…) of a file')
    .option('--from <kind>', `what it is from: auto, ${KINDS.map(({ name }) => name).join(', ')}`, 'auto')
    .option('--user <id>', 'whose agents they become; optional if there is only one user')
    .option('--agent <id>', 'the agent that all of it goes into')
    .option('--new', 'create new agents, even if an earlier import of the same did')
    .option('--dry-run', 'only show what would be created')
    .option('--report <file>', 'write the whole report as JSON')
    .action(async (named: string[], options: ImportOptions) => {
      const { from, report } = options
      if (from !== 'auto' && !KINDS.some(({ name }) => name === from)) {
        throw invalid({ field: 'from', message: `--from must be auto or one of ${KINDS.map(({ name }) => name).join(', ')}.` })
      }
      const files = (await Promise.all(named.map((one) => isAddress(one) ? fetched(one) : read(one)))).flat()
      const plan = await planApart(files, from === 'auto' ? undefined : from)
      if (report !== undefined) writeNew(report, plan)
      const agents = options.dryRun ? [] : await make(io, options, plan)
      print(io, options, { ...plan, agents: options.dryRun ? plan.agents : agents }, () => [
        ...told(plan.report),
        ...(options.dryRun
          ? plan.agents.map(({ fields, sources }) =>
              `${inLine(fields.name)}, with ${counted(sources.length)}. Nothing was made.`)
          : agents.map(inWords))
      ].join('\n'))
    })
}

interface Made { id: Id, name: string, sources: number, isNew: boolean }

const inWords = ({ id, name, sources, isNew }: Made) => isNew
  ? `Agent ${id} (${inLine(name)}) is made, Inactive, with ${counted(sources)} to be trained.`
  : `Agent ${id} (${inLine(name)}) is changed, in its draft, and has ${counted(sources)} of this import.`

/** Creates and changes the agents of a plan, as the server would: all of it, or nothing. */
async function make (
  io: CliIo, { agent, new: isNew = false, ...options }: ImportOptions, plan: Plan
): Promise<Made[]> {
  const chosen = agent === undefined ? undefined : idFrom(agent, 'agents')
  const into = isNew ? null : chosen
  return await withStores(io, options, async (stores) => {
    const { owner, actor } = await actorOf(stores, options.user)
    const before = new Set((await stores.configAsCode.keys(owner)).agents.values())
    const ids = await onCommandLine(stores, owner, 'applyImport', 'imports/apply', () =>
      stores.imports.bring(owner, actor, plan, into))
    return await Promise.all(ids.map(async (id, i) => ({
      id,
      name: (await stores.agents.get(owner, id))!.agent.name,
      sources: plan.agents[i]!.sources.length,
      isNew: !before.has(id)
    })))
  })
}

const isAddress = (named: string) => /^https?:\/\//i.test(named)

/** A downloaded file, named by the last part of its address. */
async function fetched (address: string): Promise<Array<[name: string, bytes: Buffer]>> {
  if (!URL.canParse(address)) throw invalid({ field: 'path', message: `${address} is not an address.` })
  const { host, pathname } = new URL(address)
  // The host named on this command line may be reached, wherever it is.
  const out = egress({ allowedHosts: [host], userAgent: `Agenthall/${VERSION}` })
  try {
    const { bytes } = await out.fetch(address, { maxBytes: MOST_FETCHED })
    return [[path.posix.basename(pathname) || 'export', Buffer.from(bytes)]]
  } catch (error) {
    throw new Refusal('unavailable', `${address} cannot be read: ${errorMessage(error)}`, { cause: error })
  } finally {
    await out.close()
  }
}

/** The files of a name; those of a directory, with their paths in it. */
function read (named: string): Array<[name: string, bytes: Buffer]> {
  const found = statSync(named, { throwIfNoEntry: false })
  if (!found) throw invalid({ field: 'path', message: `There is no file ${named}.` })
  const name = (file: string) => (found.isDirectory() ? path.relative(named, file) : path.basename(file))
  return filesIn(named).map((file) => [name(file).replaceAll(path.sep, '/'), readFileSync(file)])
}

function writeNew (file: string, { kind, report }: Plan) {
  try {
    writeFileSync(file, JSON.stringify({ kind, report }, null, 2) + '\n', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new Refusal('conflict', `${file} already exists. Choose another name for the report.`)
  }
}

const counted = (sources: number) => (sources === 1 ? 'one source' : `${sources} sources`)

/** The report as text, sorted by result; ignored parts are only counted. */
function told (report: Item[]): string[] {
  return OUTCOMES.flatMap((outcome) => {
    const items = report.filter((item) => item.outcome === outcome)
    if (items.length === 0) return []
    if (outcome === 'ignored') return [`${NAMES[outcome]} (${items.length})`]
    const lines = items.map(({ at, to, why }) =>
      `  ${inLine(at)}${to === undefined ? '' : ` → ${to}`}${why === undefined ? '' : `: ${inLine(why)}`}`)
    return [`${NAMES[outcome]} (${items.length})`, ...lines]
  })
}
