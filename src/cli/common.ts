import type { Readable } from 'node:stream'
import { Command } from 'commander'
import type { Id } from '../../schema/common.ts'
import { readConfig, usualAddress, type Config } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { fileRefusal } from '../platform/paths.ts'
import { commandLine } from '../platform/process/command-line.ts'
import { inAuditContext, isNothing, type AuditContext } from '../platform/storage/audit.ts'
import { servedBy } from '../platform/storage/sqlite/lock.ts'
import type { Host } from '../server.ts'
import { openStores, type Stores } from '../stores.ts'

/** Ends the program with this exit code; what there is to say has been said. */
export class Exit extends Error {
  readonly exitCode: number

  constructor (exitCode: number) {
    super(`exit ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** What every command takes. */
export interface CommonOptions { data?: string, json?: boolean }

/** What commands need from the process they run in, so that tests can hand in their own. */
export interface Surroundings {
  env: Record<string, string | undefined>
  /** What was asked for. */
  out (text: string): void
  /** Everything else a person should see. */
  note (text: string): void
  /** A line that the next one overwrites; only where somebody watches. */
  progress? (text: string): void
  /** Text as it comes, without a line end of its own; for `chat`. */
  write? (text: string): void
  /** What a person types. */
  input?: Readable
  /** The process in which `serve` runs until it is told to stop. */
  host?: Host
}

/**
 * A sub-command with the options that every command takes. `examples`: what comes after the program's name, for its
 * help.
 */
export function command (name: string, description: string, ...examples: string[]): Command {
  return new Command(name)
    .description(description)
    .option('--data <dir>', 'data directory (default: AGENTHALL_DATA or ./data)')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examplesFrom(examples))
}

/** The part of a help text that shows how it is done. */
export function examplesFrom (examples: string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${commandLine(example)}`).join('\n')}`
}

/** A command that only holds others. It takes no options: it would take them away from those. */
export function group (name: string, description: string, ...examples: string[]): Command {
  return new Command(name).description(description).addHelpText('after', examplesFrom(examples))
}

/** The settings of this call: its flags over the environment. */
export function configOf (
  { env }: Surroundings, options: CommonOptions, flags: Record<string, string | undefined> = {}
): Config {
  return readConfig(env, { DATA: options.data, ...flags })
}

/**
 * Where clients reach the server: where the one that runs on this data says, else as the settings of this call tell,
 * which is noted, as they need not be those that it will be started with.
 */
export function addressFor (around: Surroundings, options: CommonOptions): string {
  const config = configOf(around, options)
  const running = servedBy(config.DATA)
  if (!running) {
    around.note(`No server runs on this data now. The link works as soon as one does at ${usualAddress(config)}.`)
  }
  return running?.announced?.address ?? usualAddress(config)
}

/**
 * Runs work on the stores of the data directory, which a running server may be using too, and closes them. `begin`:
 * make a new installation where there is none, which any other command refuses to do.
 */
export async function withStores<T> (
  around: Surroundings, options: CommonOptions, work: (stores: Stores) => Promise<T>, { begin = false } = {}
): Promise<T> {
  const stores = await openStores({ config: configOf(around, options), clock: systemClock(), begin })
  try {
    return await work(stores)
  } finally {
    await stores.conversations.close()
    await stores.knowledge.close()
    await stores.models.close()
    stores.close()
  }
}

/** Does work of a command that changes something in an account, and has the account's audit log tell of it. */
export async function onCommandLine<T> (
  stores: Stores, owner: Id, action: string, target: string, work: () => Promise<T>
): Promise<T> {
  const isMaking = action.startsWith('create')
  const context: AuditContext = {
    owner,
    user: null,
    by: 'command_line',
    key: null,
    action,
    target,
    madeId: isMaking ? ({ agent, invitation, id }) => (agent ?? invitation)?.id ?? id : undefined,
    fields: [],
    state: 'pending'
  }
  const result = await inAuditContext(context, work)
  if (context.state === 'pending' && !isNothing(result)) await stores.audit.record(context)
  return result
}

/** Prints as JSON when asked to, else in words. */
export function print ({ out }: Surroundings, { json }: CommonOptions, value: unknown, words: () => string) {
  out(json ? JSON.stringify(value) : plain(words()))
}

/** Text that a terminal only shows: what somebody called a source must not move the cursor or turn the line around. */
export function plain (text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')
}

/**
 * Text for the middle of a line: what somebody called a key must not begin another, which would look like a row of its
 * own.
 */
export function inLine (text: string): string {
  return plain(text).replace(/[\n\t\u2028\u2029]/g, '\uFFFD')
}

/** Rows as columns of equal width under their names. */
export function table (rows: Array<Record<string, unknown>>, empty: string): string {
  if (rows.length === 0) return empty
  const names = Object.keys(rows[0]!)
  const cells = [
    names.map((name) => name.toUpperCase()),
    ...rows.map((row) => names.map((name) => inLine(String(row[name] ?? '–'))))
  ]
  const widths = names.map((_name, i) => Math.max(...cells.map((row) => row[i]!.length)))
  return cells.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ').trimEnd()).join('\n')
}

/** A positive whole number given on the command line; `where` says which numbers there are. */
export function idFrom (text: string, what: string, where = `as "${commandLine(`${what} list`)}" shows it`): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw invalid({ field: what, message: `${what} must be a number, ${where}.` })
  return Number(text)
}

/** The sentence for a person of whatever went wrong. */
export function sentenceOf (error: unknown): string {
  const refusal = error instanceof Refusal ? error : fileRefusal(error)
  if (!refusal) return error instanceof Error ? `Unexpected fault: ${error.stack}` : String(error)
  return refusal.details.length ? refusal.details.map(({ message }) => message).join('\n') : refusal.message
}
