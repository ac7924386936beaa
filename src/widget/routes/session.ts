import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { success } from '../../../schema/envelopes.ts'
import { WidgetConfig, WidgetKeyId, WidgetSession, WidgetSessionDraft } from '../../../schema/widget.ts'
import { namesTag, notModified } from '../../platform/http/answers.ts'
import { refusal } from '../../platform/http/openapi.ts'
import { KEPT, tagOf, type WebFiles } from '../../platform/http/web/files.ts'
import { configOf } from '../config.ts'
import { languagesOf, TEXTS } from '../language.ts'
import type { VisitorThrottle } from '../limits.ts'
import { beginSession, noWidget, sessionBefore, type SessionNeeds } from '../session.ts'
import { checkOrigin, openToSites, type FindVisitor } from '../visitor.ts'

const tags = ['Widget']

/** What a page may ask before it has a visitor's token: how the widget looks, and for a token. */
export const widgetSessionRoutes: FastifyPluginAsyncTypebox<
  SessionNeeds & { files: WebFiles, throttle: VisitorThrottle, find: FindVisitor }
> = async (app, { files, throttle, find, ...needs }) => {
  const { store } = needs
  const cors = openToSites(store)

  app.get(
    '/widget/:key/config',
    {
      schema: {
        tags,
        operationId: 'getWidgetConfig',
        summary: 'How a widget looks and behaves',
        params: Type.Object({ key: WidgetKeyId }),
        querystring: Type.Object({
          language: Type.Optional(Type.String({
            maxLength: 35, description: 'The visitor\'s, such as `de` or `de-AT`: the agent\'s texts in it, as far as there are any'
          }))
        }),
        response: {
          200: success(WidgetConfig, { title: 'WidgetConfigAnswer', description: 'What the widget needs to be drawn' }),
          304: Type.Null({ description: 'Not changed since If-None-Match' }),
          404: refusal('not_found', 'No such widget.')
        }
      },
      config: {
        permit: 'anyone',
        cors: (origin, request) =>
          store.find((request.params as { key: string }).key)?.origins.includes(origin) ?? false,
        tells: ['ETag']
      }
    },
    async (request, reply) => {
      const key = store.find(request.params.key) ?? noWidget()
      const face = (await store.face(key.owner, key.agent)) ?? noWidget()
      const data = configOf(key.id, face, pathsOf(files), request.query.language)
      const tag = tagOf(JSON.stringify(data))
      reply.header('cache-control', KEPT.aWhile)
      if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
      return reply.header('etag', tag).send({ status: 'success', message: 'Widget retrieved successfully', data })
    }
  )

  app.post(
    '/widget/session',
    {
      bodyLimit: 16_384,
      schema: {
        tags,
        operationId: 'beginWidgetSession',
        summary: "Begin a visitor's session",
        description:
          'Answers a token of 24 hours with which the visitor talks to the agent. A request with a token that is still good goes on with that session; without one the visitor is a new one. Whom the business vouches for (`identity`) sees earlier conversations; others do not.',
        body: WidgetSessionDraft,
        response: {
          201: success(WidgetSession, { title: 'WidgetSessionAnswer', description: 'The token, and whose it is' }),
          403: refusal(
            'permission_denied',
            'Pages of this site may not use this widget, or the identity is not signed as it must be.'
          ),
          404: refusal('not_found', 'No such widget.'),
          429: refusal('rate_limited', 'Too many new conversations from this network. Wait a minute and try again.', {
            limit: 10
          })
        }
      },
      config: { permit: 'anyone', cors }
    },
    async (request, reply) => {
      const key = store.find(request.body.key) ?? noWidget()
      checkOrigin(request, key.origins)
      const before = await sessionBefore(needs, key, request.body, find(request.headers.authorization)?.visitor)
      if (before) throttle.request(before.id)
      else throttle.session(request.ip)
      const data = await beginSession(needs, key, request.body, before)
      return reply
        .code(201)
        .headers({ 'cache-control': 'no-store', location: '/v1/widget/visitor' })
        .send({ status: 'success', message: 'Session begun', data })
    }
  )
}

/** Where the parts of a widget are that are loaded when somebody comes near it. */
function pathsOf (files: WebFiles): WidgetConfig['files'] {
  const texts = languagesOf(files).map((language) => [language, `/${files.entry(`${TEXTS}${language}`)}`])
  return {
    panel: `/${files.entry('widget/panel')}`,
    form: `/${files.entry('widget/form')}`,
    table: `/${files.entry('widget/table')}`,
    texts: Object.fromEntries(texts)
  }
}
