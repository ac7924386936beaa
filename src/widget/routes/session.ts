import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../../schema/envelopes.ts'
import { WidgetConfig, WidgetKeyId, WidgetSession, WidgetSessionDraft } from '../../../schema/widget.ts'
import { publicForms, type Actions } from '../../actions/index.ts'
import { openRoute } from '../../access/index.ts'
import { namesTag, notModified } from '../../platform/http/answers.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { codesOf } from '../../platform/languages.ts'
import { created, raw } from '../../platform/http/resources/answer.ts'
import { CACHE_CONTROL, tagOf, type WebFiles } from '../../platform/http/web/files.ts'
import { configOf } from '../config.ts'
import { languagesOf, TEXTS } from '../language.ts'
import type { Front } from '../../handoff/index.ts'
import type { Openings } from '../opening.ts'
import type { VisitorThrottle } from '../limits.ts'
import { beginSession, noWidget, sessionBefore, type SessionNeeds } from '../session.ts'
import { checkOrigin, openToSites, type FindVisitor } from '../visitor.ts'

const tag = 'Widget'
const NO_WIDGET: Way = ['not_found', 'No such widget.']

/** What a page may request before it has a visitor's token: the widget's settings, and a token. */
export const widgetSessionRoutes: FastifyPluginAsync<
  SessionNeeds & {
    actions: Pick<Actions, 'actions'>
    files: WebFiles
    throttle: VisitorThrottle
    find: FindVisitor
    openings: Openings
    front: Front
  }
> = async (app, { actions, files, throttle, find, openings, front, ...needs }) => {
  const { store } = needs
  const cors = openToSites(store)

  app.route(openRoute({
    get: '/widget/:key/config',
    id: 'getWidgetConfig',
    tag,
    summary: "Get a widget's appearance and behavior",
    who: 'anyone',
    cors: async (origin, request) =>
      (await store.find((request.params as { key: string }).key))?.origins.includes(origin) ?? false,
    params: Type.Object({ key: WidgetKeyId }),
    query: Type.Object({
      language: Type.Optional(Type.String({
        maxLength: 35,
        description: "The visitor's language, such as `de` or `de-AT`: the agent's texts in it, as far as they exist"
      }))
    }),
    tells: ['ETag'],
    answer: raw({
      200: success(WidgetConfig, { title: 'WidgetConfigAnswer', description: 'What the widget needs to be rendered' }),
      304: Type.Null({ description: 'Not modified since If-None-Match' })
    }),
    refuses: [NO_WIDGET],
    handle: async ({ params, query, request, reply }) => {
      const key = await store.find(params.key) ?? noWidget()
      const face = (await store.face(key.owner, key.agent)) ?? noWidget()
      const offered = await publicForms(actions, { owner: key.owner, behavior: face.behavior })
      const desk = face.behavior.expertHandoff ? await front(key.owner) : null
      const parts = { actions: offered, desk, files: pathsOf(files) }
      const told = configOf(key.id, face, parts, query.language)
      const isOpen = told.active && told.suggestions.length === 0
      const language = query.language?.toLowerCase().split('-', 1)[0]
      const data = isOpen && language ? { ...told, suggestions: await openings(key.agent, language) } : told
      const tag = tagOf(JSON.stringify(data))
      reply.header('cache-control', CACHE_CONTROL.aWhile)
      if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
      return reply.header('etag', tag).send({ status: 'success', message: 'Widget retrieved successfully', data })
    }
  }))

  app.route(openRoute({
    post: '/widget/session',
    id: 'beginWidgetSession',
    tag,
    summary: 'Start a visitor session',
    description:
      'Returns a token, valid for 24 hours, with which the visitor talks to the agent. A request with a token that ' +
      'is still valid continues that session; without one, the visitor is new. Visitors whom the business vouches ' +
      'for (`identity`) see their earlier conversations; others do not.',
    who: 'anyone',
    cors,
    body: WidgetSessionDraft,
    limits: { bodyLimit: 16_384 },
    answer: created(
      success(WidgetSession, { title: 'WidgetSessionAnswer', description: 'The token, and the visitor it belongs to' }),
      'Session begun',
      { at: () => '/v1/widget/visitor' }
    ),
    refuses: [
      [
        'permission_denied',
        'Pages of this site may not use this widget, or the identity is not signed as it must be.'
      ],
      NO_WIDGET,
      ['rate_limited', 'Too many new conversations from this network. Wait a minute and try again.', { limit: 10 }]
    ],
    handle: async ({ body, request, reply }) => {
      const key = await store.find(body.key) ?? noWidget()
      checkOrigin(request, key.origins)
      const before = await sessionBefore(needs, key, body, (await find(request.headers.authorization))?.visitor)
      if (before) await throttle.request(before.id)
      else await throttle.session(request.ip)
      reply.header('cache-control', 'no-store')
      return await beginSession(needs, key, body, before)
    }
  }))
}

/** The addresses of a widget's parts that are loaded when the pointer comes near it. */
function pathsOf (files: WebFiles): WidgetConfig['files'] {
  const texts = languagesOf(files).flatMap((language) => {
    const file = `/${files.entry(`${TEXTS}${language}`)}`
    return codesOf(language).map((code) => [code, file])
  })
  return {
    panel: `/${files.entry('widget/panel')}`,
    form: `/${files.entry('widget/form')}`,
    actions: `/${files.entry('widget/actions')}`,
    judge: `/${files.entry('widget/judge')}`,
    // Loaded by the form, which is in the same folder.
    rating: files.entry('widget/rating').replace('widget', '.'),
    table: `/${files.entry('widget/table')}`,
    talk: `/${files.entry('widget/talk')}`,
    texts: Object.fromEntries(texts)
  }
}
