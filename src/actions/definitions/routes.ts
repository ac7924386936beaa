import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import {
  Action, ActionDraft, ActionImport, ActionPatch, ActionTest, ActionTried, PlannedAction
} from '../../../schema/actions.ts'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { invalid } from '../../platform/errors.ts'
import { created, list, ok, removed } from '../../platform/http/resources/answer.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import type { Actions } from '../open.ts'
import { importActions } from '../importing/import.ts'
import { tryAction } from './try.ts'

const tag = 'Actions'
const who = ['MANAGE_AGENTS'] as const
const params = Type.Object({ id: PathId })
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such action.'
const version = versionOf<Action>('The action')
const ActionAnswer = success(Action, { title: 'ActionAnswer', description: 'The action' })

/** What agents may do: list, make, read, change, remove, import, try. */
export const actionRoutes: FastifyPluginAsync<Pick<Actions, 'actions' | 'connections' | 'calls' | 'sending'>> = async (
  app, { actions, connections, calls, sending }
) => {
  app.route(route({
    get: '/actions',
    id: 'listActions',
    tag,
    summary: 'List actions',
    description: 'Oldest first.',
    who: ['MANAGE_AGENTS', 'REPLY_CONVERSATION'],
    answer: list(Action, { title: 'ActionList', description: 'The actions', placeOf: ({ id }) => id },
      'Actions retrieved successfully'),
    handle: ({ owner }) => actions.list(owner)
  }))

  app.route(route({
    post: '/actions',
    id: 'createAction',
    tag,
    summary: 'Create an action',
    description:
      'An action is something agents may do over a connection. Parameters whose `from` is not `model` are filled in by code; models never see them. A write that nobody confirms accepts only values that are listed or filled in by code. An action is off until it is switched on, and an agent can run it only if it is listed in `behavior.actionIds`.',
    who,
    body: ActionDraft,
    idempotent: true,
    version,
    answer: created(ActionAnswer, 'Action created successfully'),
    refuses: [
      ['limit_reached', 'An account may have 200 actions. Remove one that is not needed.'],
      ['taken', 'An action with this name already exists. Choose another name.']
    ],
    async handle ({ owner, body, once }) {
      const made = await actions.add(owner, body, once)
      if (!made) throw invalid({ field: 'connection', message: 'There is no such connection. Create it first.' })
      return made
    }
  }))

  app.route(route({
    get: '/actions/:id',
    id: 'getAction',
    tag,
    summary: 'Read an action',
    who,
    params,
    version,
    missing,
    answer: ok(ActionAnswer, 'Action retrieved successfully'),
    handle: ({ owner, params: { id } }) => actions.get(owner, id)
  }))

  app.route(route({
    patch: '/actions/:id',
    id: 'updateAction',
    tag,
    summary: 'Update an action',
    description: 'Omitted fields stay unchanged; `parameters` are replaced as a whole. Calls that await confirmation can no longer be carried out.',
    who,
    params,
    body: ActionPatch,
    version,
    missing,
    answer: ok(ActionAnswer, 'Action updated successfully'),
    handle: ({ owner, params: { id }, body, match }) => actions.change(owner, id, body, match)
  }))

  app.route(route({
    delete: '/actions/:id',
    id: 'deleteAction',
    tag,
    summary: 'Delete an action',
    description: 'Its calls stay in the log.',
    who,
    params,
    version,
    missing,
    answer: removed('Action removed successfully'),
    refuses: [['in_use', 'An agent uses this action. Remove it there first.']],
    handle: ({ owner, params: { id }, match }) => actions.remove(owner, id, match)
  }))

  app.route(route({
    post: '/actions/:id/test',
    id: 'testAction',
    tag,
    summary: 'Test an action',
    description:
      'Returns the request as it would be sent, with secrets shown as ••••. With `live` it is actually sent, whatever it changes, outside any conversation.',
    who,
    params,
    body: ActionTest,
    missing,
    limits: { answerMs: 60_000 },
    refuses: [['not_verified', 'Name the visitor to try it as.']],
    answer: ok(success(ActionTried, { title: 'ActionTestAnswer', description: 'The request and its outcome' }), 'Action tried'),
    handle: ({ owner, params: { id }, body }) => tryAction({ actions, connections, calls, sending }, owner, id, body)
  }))

  app.route(route({
    post: '/actions/import',
    id: 'importActions',
    tag,
    summary: 'Import actions',
    description:
      'Returns the action that each operation of an OpenAPI document (3.0, 3.1), or each tool of an MCP server, would become, and what cannot be imported. With `operations` those actions are created, all of them off. What an MCP server claims about its tools is not trusted: each becomes a write that a visitor must confirm, until somebody changes that.',
    who,
    body: ActionImport,
    limits: { bodyLimit: 4 * 2 ** 20, answerMs: 60_000 },
    answer: ok(
      success(Type.Array(PlannedAction), { title: 'ActionImportPlan', description: 'The operations' }),
      'Operations read'
    ),
    handle: ({ owner, body }) => importActions({ actions, connections, sending }, owner, body)
  }))
}
