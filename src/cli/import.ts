import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { AgentDraft } from '../../schema/agents.ts'
import { newAgent } from '../agents/index.ts'
import { KINDS, OUTCOMES, planApart, portable, type Item, type Plan } from '../imports/index.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { PortableAgent, importAgent } from '../sources/index.ts'
import { authorOf, checked, defaultsOf } from './agents.ts'
import { command, inLine, onCommandLine, print, withStores, type CommonOptions, type Surroundings } from './common.ts'
import { filesIn } from './knowledge/add.ts'

interface ImportOptions extends CommonOptions { from: string, user?: string, dryRun?: boolean, report?: string }

const NAMES: Record<Item['outcome'], string> = {
  carried: 'carried', changed: 'carried, changed', not_carried: 'not carried', ignored: 'ignored'
}

/** `import`: agents from what another product exported, and a report of what became of each part. */
export function importCommand (around: Surroundings): Command {
  return command(
    'import', 'make agents from what another product exported; they answer nobody until they are set Active',
    'import --dry-run app.yml', 'import assistants/ --report report.json'
  )
    .argument('<path...>', 'a file, a directory or a zip archive')
    .option('--from <kind>', `what it is from: auto, ${KINDS.map(({ name }) => name).join(', ')}`, 'auto')
    .option('--user <id>', 'whose agents they become; may be left out where there is one user')
    .option('--dry-run', 'only say what would become of it')
    .option('--report <file>', 'write the whole report as JSON')
    .action(async (named: string[], options: ImportOptions) => {
      const { from, report } = options
      if (from !== 'auto' && !KINDS.some(({ name }) => name === from)) {
        throw invalid({ field: 'from', message: `--from must be auto or one of ${KINDS.map(({ name }) => name).join(', ')}.` })
      }
      const plan = await planApart(named.flatMap(read), from === 'auto' ? undefined : from)
      if (report !== undefined) writeNew(report, plan)
      const agents = options.dryRun ? [] : await make(around, options, plan)
      print(around, options, { ...plan, agents: options.dryRun ? plan.agents : agents }, () => [
        ...told(plan.report),
        ...(options.dryRun
          ? plan.agents.map(({ fields, sources }) => `${inLine(fields.name)}, with ${counted(sources.length)}. Nothing was made.`)
          : agents.map(({ id, name, sources }) => `Agent ${id} (${inLine(name)}) is made, Inactive, with ${counted(sources)} to be trained.`))
      ].join('\n'))
    })
}

/** Makes the agents of a plan: each with all its sources, or not at all. */
async function make (around: Surroundings, options: ImportOptions, { agents }: Plan) {
  if (agents.length === 0) {
    throw new Refusal('VALIDATION_ERROR', 'No agent can be made of this; --dry-run shows the report, which says why.')
  }
  return await withStores(around, options, async (stores) => {
    const { owner, author } = await authorOf(stores, options.user)
    const made = []
    for (const planned of agents) {
      const file = checked<PortableAgent>(PortableAgent, portable(planned))
      const agent = newAgent(file.agent as AgentDraft, defaultsOf(around, options), author)
      const { agent: { id, name }, total: sources } = await onCommandLine(stores, owner, 'createAgent', 'agents', async () =>
        await importAgent({ ...stores.knowledge, agents: stores.agents }, owner, agent, file))
      made.push({ id, name, sources })
    }
    return made
  })
}

/** The files that a name stands for, those of a directory by their paths in it. */
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
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Refusal('conflict', `${file} is there already. Choose another name for the report.`)
  }
}

const counted = (sources: number) => (sources === 1 ? 'one source' : `${sources} sources`)

/** The report for people, sorted by what became of things; what was ignored is only counted. */
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
