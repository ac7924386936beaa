import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Option, type Command } from 'commander'
import { Value } from '@sinclair/typebox/value'
import { ConfigDraft, type ConfigApplied, type ConfigFile, type ConfigPlan } from '../../../schema/config.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { command, Exit, print, type CliIo } from '../common.ts'
import { readDirectory, writeDirectory } from './directory.ts'
import { onTarget, type Target, type TargetOptions } from './target.ts'
import { appliedInWords, planInWords } from './words.ts'

/** Version of the plan file format; a program refuses a newer one. */
const PLAN_FORMAT = 1
/** Maximum bytes of a plan file. */
const MOST_PLAN = 128 * 2 ** 20

interface SavedPlan { format: number, plan: Pick<ConfigDraft, 'files' | 'prune'>, if: Record<string, string> }

const target = (made: Command) => made
  .option('--user <id>', 'whose account it is; optional if there is only one user')
  .option('--url <address>', 'the account of a key in AGH_API_KEY, on a server elsewhere')

/** `export`: writes an account as files. */
export function exportCommand (io: CliIo): Command {
  return target(command(
    'export', 'write the account as files, to be kept in a repository', 'export config', 'export config --agent support'
  ))
    .argument('<dir>', 'the directory; what an earlier export wrote is replaced')
    .option('--agent <key>', 'only this agent')
    .option('--force', 'write into a directory that has other files in it')
    .action(async (directory: string, options: TargetOptions & { agent?: string, force?: boolean }) => {
      const files = await onTarget(io, options, ({ exported }) => exported(options.agent))
      const { agent, force: isForced = false } = options
      const { written, removed } = writeDirectory(directory, files, { agent, isForced })
      print(io, options, { directory, files: files.length, written, removed }, () =>
        written + removed === 0
          ? `${directory} matches the account.`
          : `${directory} has ${files.length} files: ${written} written, ${removed} removed.`)
    })
}

/** `plan`: shows what applying files would do. */
export function planCommand (io: CliIo): Command {
  return target(command('plan',
    'show what applying files would do; exits with 0 for nothing, 2 for changes, 1 on an error',
    'plan config', 'plan config --out plan.json'))
    .argument('<dir>', 'the directory')
    .option('--prune', 'delete what files created but no longer hold')
    .option('--out <file>', 'save the plan, to be applied as it is; an older file is replaced')
    .action(async (directory: string, options: TargetOptions & { prune?: boolean, out?: string }) => {
      const draft = { files: readDirectory(directory), ...(options.prune && { prune: true }) }
      const plan = await onTarget(io, options, (target) => target.plan(withSecrets(io, draft)))
      if (options.out !== undefined) {
        const saved: SavedPlan & Pick<ConfigPlan, 'changes' | 'drift'> = {
          format: PLAN_FORMAT, changes: plan.changes, drift: plan.drift, plan: draft, if: plan.digests
        }
        writeFileSync(options.out, JSON.stringify(saved, null, 2) + '\n', { mode: 0o600 })
      }
      print(io, options, plan, () => planInWords(plan))
      if (isChanging(plan)) throw new Exit(2)
    })
}

interface ApplyOptions extends TargetOptions {
  prune?: boolean, publish?: boolean, draft?: boolean, yes?: boolean, wait?: boolean, ref?: string
}

/** `apply`: applies files. */
export function applyCommand (io: CliIo): Command {
  return target(command('apply',
    'apply files, or a plan saved by "plan --out", all or nothing; exits with 3 if test questions block an agent',
    'apply config --yes', 'apply plan.json --yes --publish --ref "$(git rev-parse --short HEAD)"'))
    .argument('<dir|plan.json>', 'the directory, or the plan')
    .option('--prune', 'delete what files created but no longer hold')
    .addOption(new Option('--publish', 'publish agents that pass their test questions, once everything is trained').conflicts('draft'))
    .option('--draft', 'leave changes of agents in their drafts (the default)')
    .option('--yes', 'do not ask')
    .option('--wait', 'wait until everything is trained')
    .option('--ref <name>', 'where the files come from, such as a commit')
    .action(async (named: string, options: ApplyOptions) => {
      const { draft, digests } = givenBy(named, options)
      const applied = await onTarget(io, options, async (target) => {
        const whole = withSecrets(io, draft)
        const plan = await target.plan(whole)
        if (!options.yes) await ask(io, plan)
        return await applyTo(target, whole, digests ?? plan.digests, options)
      })
      print(io, options, applied, () => appliedInWords(applied, Boolean(options.wait ?? options.publish)))
      if (applied.published.some(({ version }) => version === null)) throw new Exit(3)
    })
}

async function applyTo (
  target: Target, plan: ConfigDraft, digests: Record<string, string>,
  { publish = false, wait = false, ref }: ApplyOptions
): Promise<ConfigApplied> {
  const said = ref === undefined ? {} : { ref }
  const applied = await target.apply({ plan, if: digests, ...said })
  if (publish || wait) await target.trained()
  if (!publish) return applied
  // Learning affects the test questions, so nothing is published before it is done.
  const { digests: now } = await target.plan(plan)
  return { ...applied, published: (await target.apply({ plan, if: now, publish, ...said })).published }
}

const isChanging = ({ changes }: ConfigPlan) => changes.some(({ action }) => action !== 'unmanaged')

/** Shows the plan and asks for confirmation. Refuses without it. */
async function ask (io: CliIo, plan: ConfigPlan) {
  if (!isChanging(plan)) return
  io.note(planInWords(plan))
  io.note('Type yes to apply this:')
  const lines = createInterface({ input: io.input ?? Readable.from([]) })
  const { value: line } = await lines[Symbol.asyncIterator]().next() as { value?: string }
  lines.close()
  if (line?.trim().toLowerCase() === 'yes') return
  throw new Refusal('conflict', 'Nothing was applied. Use --yes to apply without being asked.')
}

function givenBy (
  named: string, { prune = false }: ApplyOptions
): { draft: ConfigDraft, digests?: Record<string, string> } {
  const found = statSync(named, { throwIfNoEntry: false })
  if (!found?.isFile()) return { draft: { files: readDirectory(named), ...(prune && { prune }) } }
  if (found.size > MOST_PLAN) throw new Refusal('payload_too_large', `${named} is larger than a plan may be.`)
  const saved = savedIn(named)
  if (prune && !saved.plan.prune) throw invalid({ field: 'prune', message: `${named} was planned without --prune. Plan again with it.` })
  return { draft: saved.plan, digests: saved.if }
}

function savedIn (file: string): SavedPlan {
  let saved: Partial<SavedPlan> | undefined
  try {
    saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<SavedPlan>
  } catch {
    // Reported below, as for anything that is not a plan.
  }
  if (typeof saved?.format === 'number' && saved.format > PLAN_FORMAT) {
    throw invalid({ field: 'plan', message: `${file} is from a newer version. Update this one, or plan again with it.` })
  }
  const isPlan = saved?.format === PLAN_FORMAT && Value.Check(ConfigDraft, saved.plan) && typeof saved.if === 'object'
  if (!isPlan || saved?.if === null) {
    throw invalid({ field: 'plan', message: `${file} is not a plan saved by "plan --out".` })
  }
  return saved as SavedPlan
}

/** Values of `{ env: NAME }` in files, as far as they are set. */
function withSecrets ({ env }: CliIo, draft: ConfigDraft): ConfigDraft {
  const names = new Set(draft.files.flatMap(namesIn))
  const secrets = Object.fromEntries([...names].flatMap((name) => env[name] ? [[name, env[name]]] : []))
  return { ...draft, secrets }
}

const namesIn = ({ path, text = '' }: ConfigFile): string[] =>
  /\.(?:ya?ml|json)$/i.test(path) ? [...text.matchAll(/\benv["']?\s*:\s*["']?([A-Za-z_][A-Za-z0-9_]{0,63})/g)].map(([, name]) => name!) : []
