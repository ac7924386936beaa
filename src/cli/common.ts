import type { Readable } from 'node:stream'
import { Command } from 'commander'
import type { Id } from '../../schema/common.ts'
import { readConfig, usualAddress, type Config } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { fileRefusal } from '../platform/paths.ts'
import { commandLine } from '../platform/process/command-line.ts'
import { inAuditContext, isNothing, type AuditContext } from '../platform/storage/audit.ts'
import { servedBy } from '../platform/storage/sqlite/disk/lock.ts'
import type { Host } from '../server.ts'
import { openStores, type Stores } from '../stores.ts'

/** Exits the program with this code; the message was already printed. */
export class Exit extends Error {
  readonly exitCode: number

  constructor (exitCode: number) {
    super(`exit ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Options of every command. */
export interface CommonOptions { data?: string, json?: boolean }

/** What commands need from their process, so that tests can pass their own. */
export interface CliIo {
  env: Record<string, string | undefined>
  /** The command's result. */
  out (text: string): void
  /** Everything else that a person should see. */
  note (text: string): void
  /** A line that the next one overwrites; only on a terminal. */
  progress? (text: string): void
  /** Text as it arrives, without an added line end; for `chat`. */
  write? (text: string): void
  /** A person's input. */
  input?: Readable
  /** The process in which `serve` runs until it is stopped. */
  host?: Host
}

/** A sub-command with the options of every command. `examples`: arguments after the program's name, for its help. */
export function command (name: string, description: string, ...examples: string[]): Command {
  return new Command(name)
    .description(description)
    .option('--data <dir>', 'data directory (default: AGENTHALL_DATA or ./data)')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examplesFrom(examples))
}

/** The part of a help text with examples. */
export function examplesFrom (examples: string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${commandLine(example)}`).join('\n')}`
}

/** A command that only groups others. It takes no options: it would take them away from those. */
export function group (name: string, description: string, ...examples: string[]): Command {
  return new Command(name).description(description).addHelpText('after', examplesFrom(examples))
}

/** The settings of this call: its flags on top of the environment. */
export function configOf (
  { env }: CliIo, options: CommonOptions, flags: Record<string, string | undefined> = {}
): Config {
  return readConfig(env, { DATA: options.data, ...flags })
}

/**
 * The base URL for clients: that of the server running on this data, otherwise that of this call's settings, which is
 * noted, since the server may be started with others.
 */
export function addressFor (io: CliIo, options: CommonOptions): string {
  const config = configOf(io, options)
  const running = servedBy(config.DATA)
  if (!running) {
    io.note(`No server runs on this data now. The link works once one runs at ${usualAddress(config)}.`)
  }
  return running?.announced?.address ?? usualAddress(config)
}

/**
 * Runs work on the stores of the data directory, which a running server may also be using, and closes them. `begin`:
 * create a new installation if there is none, which all other commands refuse.
 */
export async function withStores<T> (
  io: CliIo, options: CommonOptions, work: (stores: Stores) => Promise<T>, { begin = false } = {}
): Promise<T> {
  const stores = await openStores({ config: configOf(io, options), clock: systemClock(), begin })
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** Runs a command that changes an account, and records it in the account's audit log. */
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

/** Prints JSON if requested, otherwise text. */
export function print ({ out }: CliIo, { json }: CommonOptions, value: unknown, words: () => string) {
  out(json ? JSON.stringify(value) : plain(words()))
}

/** Text without control characters: a source's name must not move the cursor or change the text direction. */
export function plain (text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')
}

/** Text for a single line: a key's name must not start a new line, which would look like another row. */
export function inLine (text: string): string {
  return plain(text).replace(/[\n\t\u2028\u2029]/g, '\uFFFD')
}

/** Rows as aligned columns with headings. */
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

/** A positive integer from the command line; `where` says where valid numbers are listed. */
export function idFrom (text: string, what: string, where = `as "${commandLine(`${what} list`)}" shows it`): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw invalid({ field: what, message: `${what} must be a number, ${where}.` })
  return Number(text)
}

/** An error as a sentence for a person. */
export function sentenceOf (error: unknown): string {
  const refusal = error instanceof Refusal ? error : fileRefusal(error)
  if (!refusal) return error instanceof Error ? `Unexpected fault: ${error.stack}` : String(error)
  return refusal.details.length ? refusal.details.map(({ message }) => message).join('\n') : refusal.message
}
