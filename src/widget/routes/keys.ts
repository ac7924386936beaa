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
/** The same words whether it does not exist or is somebody else's. */
const missing = 'No such widget key.'
const version = versionOf<WidgetKey>('The widget key')
const WidgetKeyAnswer = success(WidgetKey, { title: 'WidgetKeyAnswer', description: 'The key' })

/** The keys that put an agent's widget on sites: list, make, change, delete; and what identities are signed with. */
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
    summary: 'Make a widget key',
    description:
      'The key is public: it stands in the pages that show the widget. Only pages of its `origins` can use it.',
    who: MANAGING,
    params: inAgent,
    body: WidgetKeyDraft,
    idempotent: true,
    missing: NO_AGENT,
    answer: created(WidgetKeyAnswer, 'Widget key created successfully'),
    refuses: [[
      'limit_reached',
      'An agent may have 20 widget keys. Delete one that is not needed; one key may stand on several sites.'
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
    summary: 'Change a widget key',
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
      'Widgets that carry it show nothing any more, and sessions that it began are over at once. Conversations stay.',
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
    summary: 'Make a secret that identities are signed with',
    description:
      'Your server signs with it who a visitor is (a JWT, HS256: sub, aud = the key, exp within 24 hours, and email and name if you like). There may be two, so that they can be changed: make a new one, sign with it, delete the old one.',
    who: MANAGING,
    params: inKey,
    idempotent: 'with-secret',
    missing,
    answer: created(
      success(NewIdentitySecret, { title: 'IdentitySecretCreated', description: 'The secret, this once' }),
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
    summary: 'Delete a secret that identities are signed with',
    who: MANAGING,
    params: inSecret,
    missing: 'No such secret.',
    answer: removed('Secret deleted successfully'),
    handle: ({ owner, params: { id, key, secret } }) => store.removeSecret(owner, id, key, secret)
  }))
}
