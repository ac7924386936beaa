import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Connection, ConnectionDraft, ConnectionTried } from '../../../schema/actions.ts'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { created, list, ok, removed } from '../../platform/http/resources/answer.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import type { Sending } from '../contract.ts'
import { failureIn } from '../sending/failure.ts'
import type { ActionStore, ConnectionStore } from '../store.ts'

const tag = 'Actions'
const who = ['CONFIGURE_BUSINESS'] as const
const params = Type.Object({ id: PathId })
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such connection.'
const version = versionOf<Connection>(
  'The connection', ({ last_ok: _ok, last_error: _error, last_error_code: _code, ...set }) => set
)
const ConnectionAnswer = success(Connection, { title: 'ConnectionAnswer', description: 'The connection, without its secret' })

/** Systems that agents may act in: list, make, read, replace, remove, try. */
export const connectionRoutes: FastifyPluginAsync<{
  connections: ConnectionStore, actions: Pick<ActionStore, 'distrust'>, sending: Sending
}> = async (app, { connections, actions, sending }) => {
  app.route(route({
    get: '/connections',
    id: 'listConnections',
    tag,
    summary: 'List connections',
    description: 'Oldest first. Secrets are never shown.',
    who: ['CONFIGURE_BUSINESS', 'MANAGE_AGENTS'],
    answer: list(Connection, {
      title: 'ConnectionList', description: 'The connections, without their secrets', placeOf: ({ id }) => id
    }, 'Connections retrieved successfully'),
    handle: ({ owner }) => connections.list(owner)
  }))

  app.route(route({
    post: '/connections',
    id: 'createConnection',
    tag,
    summary: 'Create a connection',
    description:
      'A connection is a system of the business that agents may act in. The secret is stored encrypted and never shown. Requests go only to hosts in `allowed_hosts`; these must be on the public internet or allowed by the operator.',
    who,
    body: ConnectionDraft,
    idempotent: true,
    version,
    answer: created(ConnectionAnswer, 'Connection created successfully'),
    refuses: [['limit_reached', 'An account may have 50 connections. Remove one that is not needed.']],
    handle: ({ owner, body, once }) => connections.add(owner, body, once)
  }))

  app.route(route({
    get: '/connections/:id',
    id: 'getConnection',
    tag,
    summary: 'Read a connection',
    who,
    params,
    version,
    missing,
    answer: ok(ConnectionAnswer, 'Connection retrieved successfully'),
    handle: ({ owner, params: { id } }) => connections.get(owner, id)
  }))

  app.route(route({
    put: '/connections/:id',
    id: 'replaceConnection',
    tag,
    summary: 'Replace a connection',
    description: 'Without `secret` the previous secret is kept, unless it would be sent to a host that it was not entered for.',
    who,
    params,
    body: ConnectionDraft,
    version,
    missing,
    answer: ok(ConnectionAnswer, 'Connection replaced successfully'),
    handle: ({ owner, params: { id }, body, match }) => connections.replace(owner, id, body, match)
  }))

  app.route(route({
    delete: '/connections/:id',
    id: 'deleteConnection',
    tag,
    summary: 'Delete a connection',
    description: 'Its secret is deleted permanently.',
    who,
    params,
    version,
    missing,
    answer: removed('Connection removed successfully'),
    refuses: [['in_use', 'Actions use this connection. Remove them first.']],
    handle: ({ owner, params: { id }, match }) => connections.remove(owner, id, match)
  }))

  app.route(route({
    post: '/connections/:id/test',
    id: 'testConnection',
    tag,
    summary: 'Test a connection',
    description: 'Sends a GET request to `base_url` and reports whether it responds and accepts the secret.',
    who,
    params,
    missing,
    audit: 'never',
    answer: ok(success(ConnectionTried, { title: 'ConnectionTest', description: 'The result of the test' }), 'Connection tried'),
    limits: { answerMs: 30_000 },
    async handle ({ owner, params: { id } }) {
      const connection = await connections.opened(owner, id)
      if (!connection) return undefined
      const { tools, ...sent } = await sending.check(connection)
      await connections.note(owner, id, failureIn(sent))
      const changed = tools ? await actions.distrust(owner, id, tools) : []
      const message = changed.length > 0 ? `It answers, but these tools have changed, and are off: ${changed.join(', ')}.` : 'It answers.'
      const { state, status, ms, error, error_code: code } = sent
      return { ok: state === 'done', status, ms, message: error ?? message, error_code: code }
    }
  }))
}
