import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ActionTried, Arguments, CallRecord, PlannedAction } from '../../schema/actions.ts'
import { importActions, tryAction } from '../actions/index.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { fileRefusal } from '../platform/paths.ts'
import {
  command, group, idFrom, onCommandLine, print, table, withStores, type CommonOptions, type CliIo
} from './common.ts'

type OfUser = CommonOptions & { user: string }

/** Maximum calls listed. */
const LISTED = 100

/** `actions import`, `actions test`, `actions calls`. */
export function actionsCommand (io: CliIo): Command {
  return group('actions', 'what agents may do in other systems, and what they did', 'actions calls --user 1')
    .addCommand(importing(io))
    .addCommand(testing(io))
    .addCommand(calls(io))
}

function importing (io: CliIo): Command {
  return command(
    'import', 'show the actions in an OpenAPI document, and create them with --all or --only',
    'actions import shop.json --user 1 --connection 1', 'actions import shop.json --user 1 --connection 1 --all'
  )
    .argument('<file>', 'the document, 3.0 or 3.1, JSON or YAML')
    .requiredOption('--user <id>', 'whose account it is')
    .requiredOption('--connection <id>', 'the connection that they use')
    .option('--all', 'create all that can be imported, switched off')
    .option('--only <keys...>', 'create only these, such as "GET /orders/{id}"')
    .action(async (file: string, options: OfUser & { connection: string, all?: boolean, only?: string[] }) => {
      const owner = idFrom(options.user, 'users')
      const asked = { connection: idFrom(options.connection, 'connection', 'as the console shows it'), openapi: contentOf(file) }
      const planned = await withStores(io, options, async (stores) => {
        const plan = await importActions(stores.actions, owner, asked)
        const all = plan.filter((one) => one.can_import).map(({ key }) => key)
        const operations = options.all ? all : options.only ?? []
        if (operations.length === 0) return plan
        const make = async () => await importActions(stores.actions, owner, { ...asked, operations })
        return await onCommandLine(stores, owner, 'importActions', 'actions/import', make)
      })
      print(io, options, planned, () => shownPlan(planned))
    })
}

function shownPlan (planned: PlannedAction[]): string {
  const becomes = ({ action, can_import: can }: PlannedAction) => {
    if (action !== null) return `action ${action}, off`
    return can ? 'can be made' : 'nothing'
  }
  return table(planned.map((one) => ({
    operation: one.key, name: one.name, effect: one.effect, becomes: becomes(one), notes: one.notes.join(' ')
  })), 'Nothing in this document can be imported.')
}

function testing (io: CliIo): Command {
  return command(
    'test', 'show the request of an action, and send it with --live', 'actions test 1 --user 1 --with order_number=1001'
  )
    .argument('<id>', "the action's number")
    .requiredOption('--user <id>', 'whose account it is')
    .option('--with <values...>', 'its arguments, as name=value')
    .option('--live', 'send it, whatever it changes')
    .action(async (text: string, options: OfUser & { with?: string[], live?: boolean }) => {
      const owner = idFrom(options.user, 'users')
      const id = idFrom(text, 'actions', 'as the console shows it')
      const body = { arguments: argumentsFrom(options.with ?? []), live: options.live ?? false }
      const tried = await withStores(io, options, async (stores) => {
        const attempt = async () => await tryAction(stores.actions, owner, id, body)
        return body.live
          ? await onCommandLine(stores, owner, 'testAction', `actions/${id}/test`, attempt)
          : await attempt()
      })
      if (!tried) throw new Refusal('not_found', `This account has no action ${id}.`)
      print(io, options, tried, () => shownTry(tried))
    })
}

function shownTry ({ request: { method, url, headers, body }, status, result, message }: ActionTried): string {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
    '',
    `${message}${status === null ? '' : ` (${status})`}`,
    ...(result === null ? [] : [result])
  ].join('\n')
}

function calls (io: CliIo): Command {
  return command('calls', 'what agents did, newest first', 'actions calls --user 1', 'actions calls --user 1 --state unknown')
    .requiredOption('--user <id>', 'whose account it is')
    .option('--state <state>', 'only those in this state, such as unknown')
    .action(async (options: OfUser & { state?: string }) => {
      const owner = idFrom(options.user, 'users')
      const filter = options.state === undefined ? {} : { state: options.state as CallRecord['state'] }
      const { items } = await withStores(
        io, options, async ({ actions }) => await actions.calls.list(owner, filter, undefined, LISTED)
      )
      print(io, options, items, () => table(items.map((call) => ({
        at: call.created_at,
        action: call.action_name,
        state: call.state,
        status: call.status,
        conversation: call.conversation,
        why: call.error
      })), 'No calls.'))
    })
}

/** The values of `name=value`. */
function argumentsFrom (given: readonly string[]): Arguments {
  return Object.fromEntries(given.map((one): [string, string] => {
    const at = one.indexOf('=')
    if (at < 1) throw invalid({ field: 'with', message: `"${one}" is not name=value.` })
    return [one.slice(0, at), one.slice(at + 1)]
  }))
}

function contentOf (file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw fileRefusal(error) ?? error
  }
}
