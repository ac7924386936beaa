import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { nothingHere } from '../../platform/errors.ts'
import { CACHE_CONTROL, sendPage, sendWebFile, type WebFiles } from '../../platform/http/web/files.ts'
import { WidgetKeyId } from '../../../schema/widget.ts'
import { isOrigin } from '../keys.ts'
import { languageOfPage, languageOfVisitor, languagesOf } from '../language.ts'
import type { WidgetStore } from '../store.ts'

/** Pages of every site may load these, even pages that otherwise block cross-origin files. */
const FOR_ALL = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** The hosted page's content security policy: what the widget needs, and framing by the sites of the key. */
const policy = (origins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src https: http: data:',
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${origins.filter(isOrigin).join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join('; ')

/** The widget's scripts, and the page `/chat/<key>` that contains only the widget. */
export const widgetFiles: FastifyPluginAsyncTypebox<{ store: WidgetStore, files: WebFiles }> = async (
  app, { store, files }
) => {
  app.get('/widget.js', { schema: { hide: true }, config: { permit: 'anyone' } }, async (request, reply) =>
    sendWebFile(request, reply.headers(FOR_ALL), files.file(files.entry('widget/stub'))!, CACHE_CONTROL.aWhile)
  )

  app.get(
    '/widget/:name',
    { schema: { hide: true, params: Type.Object({ name: Type.String() }) }, config: { permit: 'anyone' } },
    async (request, reply) => {
      const file = files.file(`widget/${request.params.name}`)
      if (!file) throw nothingHere()
      return sendWebFile(request, reply.headers(FOR_ALL), file, CACHE_CONTROL.forEver)
    }
  )

  app.get(
    '/chat/:key',
    { schema: { hide: true, params: Type.Object({ key: Type.String() }) }, config: { permit: 'anyone' } },
    async (request, reply) => {
      const { key: asked } = request.params
      const key = new RegExp(WidgetKeyId.pattern!).test(asked) ? await store.find(asked) : undefined
      const face = key && (await store.face(key.owner, key.agent))
      if (!face) throw nothingHere()
      const { language: wished } = request.query as { language?: unknown }
      const accepted = request.headers['accept-language']
      const language = languageOfPage(wished, accepted, languagesOf(files))
      reply.headers({
        'content-security-policy': policy(key.origins),
        'cache-control': CACHE_CONTROL.never,
        'content-language': language,
        'referrer-policy': 'no-referrer',
        vary: 'accept-language'
      })
      const page = pageOf(key.id, face.appearance.chatbotName, language, languageOfVisitor(wished, accepted))
      return sendPage(request, reply, page)
    }
  )
}

/** The script uses the page's language for its own texts, and `visitor` for the conversation's language. */
function pageOf (key: string, name: string, language: string, visitor = ''): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<title>${escaped(name)}</title>
<link rel="icon" href="data:,">
</head>
<body>
<script src="/widget.js" data-agent="${key}" data-visitor="${visitor}" data-page></script>
</body>
</html>
`
}

function escaped (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
