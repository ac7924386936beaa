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
    summary: 'Make an action',
    description:
      'Something that agents may do over a connection. Parameters whose `from` is not `model` are put in by code: no model knows of them. A write that nobody confirms takes only values that are listed or put in by code. It is off until it is switched on, and an agent does it only when `behavior.actionIds` names it.',
    who,
    body: ActionDraft,
    idempotent: true,
    version,
    answer: created(ActionAnswer, 'Action created successfully'),
    refuses: [
      ['limit_reached', 'An account may have 200 actions. Remove one that is not needed.'],
      ['taken', 'There is an action of this name already. Choose another name.']
    ],
    async handle ({ owner, body, once }) {
      const made = await actions.add(owner, body, once)
      if (!made) throw invalid({ field: 'connection', message: 'There is no such connection. Make it first.' })
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
    summary: 'Change an action',
    description: 'What is left out stays; `parameters` are replaced. What waits for a confirmation is not done any more.',
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
    summary: 'Remove an action',
    description: 'Calls of it stay in the log.',
    who,
    params,
    version,
    missing,
    answer: removed('Action removed successfully'),
    refuses: [['in_use', 'An agent has this action. Take it away there first.']],
    handle: ({ owner, params: { id }, match }) => actions.remove(owner, id, match)
  }))

  app.route(route({
    post: '/actions/:id/test',
    id: 'testAction',
    tag,
    summary: 'Try an action',
    description:
      'Shows the request as it would be sent, secrets as ••••. With `live` it is sent, whatever it changes, as no visitor.',
    who,
    params,
    body: ActionTest,
    missing,
    limits: { answerMs: 60_000 },
    refuses: [['not_verified', 'Name the visitor to try it as.']],
    answer: ok(success(ActionTried, { title: 'ActionTestAnswer', description: 'The request, and what came of it' }), 'Action tried'),
    handle: ({ owner, params: { id }, body }) => tryAction({ actions, connections, calls, sending }, owner, id, body)
  }))

  app.route(route({
    post: '/actions/import',
    id: 'importActions',
    tag,
    summary: 'Import actions',
    description:
      'Shows what would become of each operation of an OpenAPI document (3.0, 3.1), or of each tool of an MCP server, with what cannot be carried. With `operations` those are made, all of them off. What an MCP server says of its tools is not believed: each is a write that a visitor confirms, until somebody decides otherwise.',
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
