import { Command, CommanderError } from 'commander'
import type { Running } from '../server.ts'
import { nearest } from '../platform/http/validation.ts'
import { commandLine } from '../platform/process/command-line.ts'
import { VERSION } from '../version.ts'
import { agentsCommand } from './agents.ts'
import { auditCommand } from './operating/audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { conversationsCommand } from './operating/conversations.ts'
import { deliveriesCommand } from './operating/deliveries.ts'
import { Exit, examplesFrom, sentenceOf, type CliIo } from './common.ts'
import { applyCommand, exportCommand, planCommand } from './config/commands.ts'
import { askCommand, chatCommand } from './chat.ts'
import { importsCommand } from './config/imports.ts'
import { ownKeysCommand } from './config/own-keys.ts'
import { doctorCommand } from './doctor.ts'
import { healthCommand } from './operating/health.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { feedsCommand } from './knowledge/feeds.ts'
import { knowledgeCommand } from './knowledge/index.ts'
import { licensesCommand } from './operating/licenses.ts'
import { membersCommand } from './members.ts'
import { actionsCommand } from './actions.ts'
import { modelsCommand } from './models.ts'
import { openapiCommand } from './operating/openapi.ts'
import { moveCommand } from './operating/move.ts'
import { mailCommand } from './operating/mail.ts'
import { secretsCommand } from './operating/secrets.ts'
import { privacyCommand } from './operating/privacy.ts'
import { serveCommand } from './serve.ts'
import { usersCommand } from './users.ts'
import { versionCommands } from './versions.ts'

/** The program with all commands; nothing runs before one is parsed. `started` gets the server of `serve`. */
export function everyCommand (io: CliIo, started: (server: Running) => void): Command {
  return new Command(commandLine('').trim())
    .description('A self-hosted server that makes, trains and runs AI agents')
    .version(VERSION)
    .showSuggestionAfterError()
    .addHelpText('after', examplesFrom(['serve', 'users list', 'agents list', 'agents create --help']))
    .addCommand(serveCommand(io, started), { isDefault: true })
    .addCommand(usersCommand(io))
    .addCommand(membersCommand(io))
    .addCommand(keysCommand(io))
    .addCommand(agentsCommand(io, [...versionCommands, ownKeysCommand]))
    .addCommand(importCommand(io))
    .addCommand(importsCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(planCommand(io))
    .addCommand(applyCommand(io))
    .addCommand(knowledgeCommand(io))
    .addCommand(feedsCommand(io))
    .addCommand(healthCommand(io))
    .addCommand(askCommand(io))
    .addCommand(chatCommand(io))
    .addCommand(modelsCommand(io))
    .addCommand(actionsCommand(io))
    .addCommand(conversationsCommand(io))
    .addCommand(deliveriesCommand(io))
    .addCommand(mailCommand(io))
    .addCommand(secretsCommand(io))
    .addCommand(privacyCommand(io))
    .addCommand(auditCommand(io))
    .addCommand(backupCommand(io))
    .addCommand(restoreCommand(io))
    .addCommand(moveCommand(io))
    .addCommand(doctorCommand(io))
    .addCommand(openapiCommand(io))
    .addCommand(licensesCommand(io))
}

/**
 * Runs one command. Resolves to its exit code, and for `serve` to the running server. Every failure is a sentence on
 * the note channel; a mistake in the command line exits with 2, anything else with 1. With `plan` every failure exits
 * with 1: 2 means that there is something to apply.
 */
export async function run (args: string[], io: CliIo): Promise<{ exitCode: number, server?: Running }> {
  let server: Running | undefined
  const program = everyCommand(io, (running) => { server = running })
  prepare(program, io)
  const complaint = unknownCommand(args, program)
  if (complaint) {
    io.note(complaint)
    return { exitCode: 2 }
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return { exitCode: 0, ...(server && { server }) }
  } catch (error) {
    if (error instanceof Exit) return { exitCode: error.exitCode }
    if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: 0 }
    // With `plan` 2 means that there are changes.
    if (error instanceof CommanderError) return { exitCode: args[0] === 'plan' ? 1 : 2 }
    io.note(sentenceOf(error))
    return { exitCode: 1 }
  }
}

/**
 * Why the first word names no command. Without this it would be taken for an argument of `serve`, which runs when no
 * command is named.
 */
function unknownCommand ([first = '-']: string[], program: Command): string | undefined {
  const names = [...program.commands.map((command) => command.name()), 'help']
  if (first.startsWith('-') || names.includes(first)) return undefined
  return `There is no command "${first}"${nearest(first, names) || '.'} "${commandLine('help')}" lists all.`
}

/** Makes all commands, recursively, throw and write to our output. */
function prepare (command: Command, io: CliIo) {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.out(text.trimEnd()),
    writeErr: (text) => io.note(text.trimEnd())
  })
  for (const sub of command.commands) prepare(sub, io)
}
