import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { NewIdentitySecret, WidgetKey, WidgetKeyDraft, WidgetKeyId, WidgetKeyPatch } from '../../../schema/widget.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT, noAgent } from '../../agents/index.ts'
import { created, list, ok, removed, removedName } from '../../platform/http/resources/answer.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import type { WidgetStore } from '../store.ts'

const tag = 'Widget'
const MANAGING = ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'] as const
const inAgent = Type.Object({ id: PathId })
const inKey = Type.Object({ id: PathId, key: WidgetKeyId })
const inSecret = Type.Object({ id: PathId, key: WidgetKeyId, secret: PathId })
/** The same message whether it does not exist or is somebody else's. */
const missing = 'No such widget key.'
const version = versionOf<WidgetKey>('The widget key')
const WidgetKeyAnswer = success(WidgetKey, { title: 'WidgetKeyAnswer', description: 'The key' })

/** The keys that put an agent's widget on sites: list, create, change, delete; and the identity secrets. */
export const widgetKeyRoutes: FastifyPluginAsync<{ store: WidgetStore }> = async (app, { store }) => {
  app.route(route({
    get: '/agents/:id/widget_keys',
    id: 'listWidgetKeys',
    tag,
    summary: "List an agent's widget keys",
    who: 'any user',
    params: inAgent,
    missing: NO_AGENT,
    answer: list(WidgetKey, {
      title: 'WidgetKeyList', description: 'The keys, oldest first', placeOf: (key) => `${key.created_at} ${key.id}`
    }, 'Widget keys retrieved successfully'),
    handle: ({ owner, params: { id } }) => store.list(owner, id)
  }))

  app.route(route({
    post: '/agents/:id/widget_keys',
    id: 'createWidgetKey',
    tag,
    summary: 'Create a widget key',
    description:
      'The key is public: it is part of the pages that show the widget. Only pages from its `origins` can use it.',
    who: MANAGING,
    params: inAgent,
    body: WidgetKeyDraft,
    idempotent: true,
    missing: NO_AGENT,
    answer: created(WidgetKeyAnswer, 'Widget key created successfully'),
    refuses: [[
      'limit_reached',
      'An agent may have 20 widget keys. Delete one that is not needed; one key can be used on several sites.'
    ]],
    handle: ({ owner, params: { id }, body, once }) => store.create(owner, id, body, once)
  }))

  app.route(route({
    get: '/agents/:id/widget_keys/:key',
    id: 'getWidgetKey',
    tag,
    summary: 'Read a widget key',
    who: 'any user',
    params: inKey,
    version,
    missing,
    answer: ok(WidgetKeyAnswer, 'Widget key retrieved successfully'),
    handle: async ({ owner, params: { id, key } }) =>
      ((await store.list(owner, id)) ?? noAgent()).find((one) => one.id === key)
  }))

  app.route(route({
    patch: '/agents/:id/widget_keys/:key',
    id: 'updateWidgetKey',
    tag,
    summary: 'Update a widget key',
    who: MANAGING,
    params: inKey,
    body: WidgetKeyPatch,
    version,
    missing,
    answer: ok(WidgetKeyAnswer, 'Widget key updated successfully'),
    handle: ({ owner, params: { id, key }, body, match }) => store.update(owner, id, key, body, match)
  }))

  app.route(route({
    delete: '/agents/:id/widget_keys/:key',
    id: 'deleteWidgetKey',
    tag,
    summary: 'Delete a widget key',
    description:
      'Widgets with this key no longer show anything, and the sessions it started end immediately. Conversations ' +
      'remain.',
    who: MANAGING,
    params: inKey,
    version,
    missing,
    answer: removedName('Widget key deleted successfully'),
    handle: ({ owner, params: { id, key }, match }) => store.remove(owner, id, key, match)
  }))

  app.route(route({
    post: '/agents/:id/widget_keys/:key/identity_secrets',
    id: 'createIdentitySecret',
    tag,
    summary: 'Create an identity signing secret',
    description:
      'Your server uses it to sign who a visitor is (a JWT, HS256: sub, aud = the key, exp within 24 hours, and ' +
      'optionally email and name). A key can have two secrets, which allows rotation: create a new one, sign with ' +
      'it, delete the old one.',
    who: MANAGING,
    params: inKey,
    idempotent: 'with-secret',
    missing,
    answer: created(
      success(NewIdentitySecret, { title: 'IdentitySecretCreated', description: 'The secret, shown only once' }),
      'Secret created successfully. Keep it: it is not shown again.',
      { at: (_made, { id, key }) => `/v1/agents/${id}/widget_keys/${key}` }
    ),
    refuses: [[
      'limit_reached',
      'There are two secrets already, the old one and the new one. Delete the one that your server no longer signs with, then make another.'
    ]],
    handle: ({ owner, params: { id, key }, once }) => store.addSecret(owner, id, key, once)
  }))

  app.route(route({
    delete: '/agents/:id/widget_keys/:key/identity_secrets/:secret',
    id: 'deleteIdentitySecret',
    tag,
    summary: 'Delete an identity signing secret',
    who: MANAGING,
    params: inSecret,
    missing: 'No such secret.',
    answer: removed('Secret deleted successfully'),
    handle: ({ owner, params: { id, key, secret } }) => store.removeSecret(owner, id, key, secret)
  }))
}
