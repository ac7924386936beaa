import { ActionDraft, type ActionImport, type PlannedAction } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { faultsBy } from '../../platform/http/validation.ts'
import { inTurns } from '../../platform/work/slices.ts'
import type { Actions } from '../open.ts'
import { digestOf } from '../sending/mcp.ts'
import { readOpenapiApart } from './apart.ts'
import { plannedFromMcp } from './mcp.ts'

/**
 * Reads a document, previews its operations as actions, and makes those that are named, all switched off. Refuses with
 * VALIDATION_ERROR a document that cannot be read.
 */
export async function importActions (
  { actions, connections, sending }: Pick<Actions, 'actions' | 'connections' | 'sending'>, owner: Id,
  { connection: id, openapi, operations = [] }: ActionImport
): Promise<PlannedAction[]> {
  const connection = await connections.opened(owner, id)
  if (!connection) throw invalid({ field: 'connection', message: 'There is no such connection. Create it first.' })
  const isMcp = connection.kind === 'mcp'
  if (isMcp && openapi !== undefined) {
    throw invalid({ field: 'openapi', message: 'The connection is an MCP server, which lists its tools itself.' })
  }
  if (!isMcp && openapi === undefined) throw invalid({ field: 'openapi', message: 'openapi is missing: send the document.' })
  const tools = isMcp ? await sending.tools(connection) : []
  const digests = new Map(tools.map((tool) => [tool.name, digestOf(tool)]))
  const planned = openapi === undefined ? await inTurns(plannedFromMcp(tools)) : await readOpenapiApart(openapi, owner)
  const unknown = operations.find((key) => !planned.some((one) => one.key === key && one.canImport))
  if (unknown !== undefined) {
    throw invalid({ field: 'operations', message: `${unknown} is not among those that can be imported.` })
  }
  const shown: PlannedAction[] = []
  for (const { key, draft, notes, canImport } of planned) {
    const made = operations.includes(key)
      ? await makeOne(actions, owner, { connection: id, ...draft }, digests.get(key))
      : undefined
    shown.push({
      key,
      name: draft.name,
      title: draft.title,
      effect: draft.effect,
      can_import: canImport && made?.fault === undefined,
      notes: made?.fault === undefined ? notes : [...notes, made.fault],
      action: made?.id ?? null
    })
  }
  return shown
}

const faultsOf = faultsBy(ActionDraft)
const NOT_KEPT = 'Its path, its title or one of its parameters is too long, or has characters that an action may not have.'

/** One failure does not prevent the others from being made. */
async function makeOne (
  actions: Actions['actions'], owner: Id, draft: ActionDraft, digest: string | undefined
): Promise<{ id?: Id, fault?: string }> {
  if (faultsOf(draft).length > 0) return { fault: NOT_KEPT }
  try {
    const made = await actions.add(owner, draft, undefined, digest)
    return made ? { id: made.answer.id } : {}
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { fault: error.details[0]?.message ?? error.message }
  }
}
