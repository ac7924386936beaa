import { randomBytes } from 'node:crypto'
import type { ActionTest, ActionTried } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { bind } from '../calls/bind.ts'
import { failureIn } from '../sending/failure.ts'
import type { Actions } from '../open.ts'
import { requestOf, shownRequest } from '../sending/request.ts'

/**
 * Shows an action's request, and sends it if requested. Refuses arguments as `bind` does. Undefined if there is no such
 * action.
 */
export async function tryAction (
  { actions, connections, calls, sending }: Pick<Actions, 'actions' | 'connections' | 'calls' | 'sending'>,
  owner: Id, id: Id, { arguments: given = {}, visitor = {}, live = false }: ActionTest
): Promise<ActionTried | undefined> {
  const known = await actions.known(owner, id)
  if (!known) return undefined
  const { action, connection } = known
  const { values, digest } = bind(action, given, {
    externalId: visitor.external_id ?? null, verifiedEmail: visitor.verified_email ?? null, conversation: 'conv_test'
  })
  const asked = { action, connection, values, key: `call_${randomBytes(16).toString('base64url')}` }
  const request = shownRequest(requestOf(asked), connection)
  if (!live) {
    return { request, state: null, status: null, ms: null, result: null, message: 'It was not sent.', error_code: null }
  }
  const sent = await sending.send(asked)
  await calls.tried(owner, action, digest, sent)
  await connections.note(owner, connection.id, sent.status === null ? failureIn(sent) : null)
  const { state, status, ms, result, error, error_code: code } = sent
  return { request, state, status, ms, result, message: error ?? 'It was done.', error_code: code }
}
