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
import { Exit, examplesFrom, sentenceOf, type Surroundings } from './common.ts'
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

/** The program with all of its commands; nothing is done before one is parsed. `started` gets the server of `serve`. */
export function everyCommand (around: Surroundings, started: (server: Running) => void): Command {
  return new Command(commandLine('').trim())
    .description('A self-hosted server that makes, trains and runs AI agents')
    .version(VERSION)
    .showSuggestionAfterError()
    .addHelpText('after', examplesFrom(['serve', 'users list', 'agents list', 'agents create --help']))
    .addCommand(serveCommand(around, started), { isDefault: true })
    .addCommand(usersCommand(around))
    .addCommand(membersCommand(around))
    .addCommand(keysCommand(around))
    .addCommand(agentsCommand(around, [...versionCommands, ownKeysCommand]))
    .addCommand(importCommand(around))
    .addCommand(importsCommand(around))
    .addCommand(exportCommand(around))
    .addCommand(planCommand(around))
    .addCommand(applyCommand(around))
    .addCommand(knowledgeCommand(around))
    .addCommand(feedsCommand(around))
    .addCommand(healthCommand(around))
    .addCommand(askCommand(around))
    .addCommand(chatCommand(around))
    .addCommand(modelsCommand(around))
    .addCommand(actionsCommand(around))
    .addCommand(conversationsCommand(around))
    .addCommand(deliveriesCommand(around))
    .addCommand(mailCommand(around))
    .addCommand(secretsCommand(around))
    .addCommand(privacyCommand(around))
    .addCommand(auditCommand(around))
    .addCommand(backupCommand(around))
    .addCommand(restoreCommand(around))
    .addCommand(moveCommand(around))
    .addCommand(doctorCommand(around))
    .addCommand(openapiCommand(around))
    .addCommand(licensesCommand(around))
}

/**
 * Runs one command. Resolves to its exit code, and for `serve` to the running server.
 * Every failure is a sentence on the note channel; a mistake in the command line exits with 2, anything else with 1.
 * Of `plan` every failure exits with 1: 2 says that there is something to apply.
 */
export async function run (args: string[], around: Surroundings): Promise<{ exitCode: number, server?: Running }> {
  let server: Running | undefined
  const program = everyCommand(around, (running) => { server = running })
  prepare(program, around)
  const complaint = unknownCommand(args, program)
  if (complaint) {
    around.note(complaint)
    return { exitCode: 2 }
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return { exitCode: 0, ...(server && { server }) }
  } catch (error) {
    if (error instanceof Exit) return { exitCode: error.exitCode }
    if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: 0 }
    // Of `plan` 2 says that there are changes.
    if (error instanceof CommanderError) return { exitCode: args[0] === 'plan' ? 1 : 2 }
    around.note(sentenceOf(error))
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

/** Makes commands throw and write where we say, all the way down. */
function prepare (command: Command, around: Surroundings) {
  command.exitOverride().configureOutput({
    writeOut: (text) => around.out(text.trimEnd()),
    writeErr: (text) => around.note(text.trimEnd())
  })
  for (const sub of command.commands) prepare(sub, around)
}
