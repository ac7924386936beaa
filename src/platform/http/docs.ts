import type { FastifyPluginAsync } from 'fastify'
import { asset } from '../process/assets.ts'
import { openapiText } from './openapi.ts'

const PACKAGE = 'node_modules/@fastify/swagger-ui/static'
const SCRIPT = `${PACKAGE}/swagger-ui-bundle.js`
const STYLE = `${PACKAGE}/swagger-ui.css`

/** The files that the docs page takes from its package; an executable carries them. */
export const DOCS_FILES = [SCRIPT, STYLE]

/** Everything the docs page loads, by exact address: nothing else can be asked for. */
const FILES: Record<string, { type: string, content: () => Buffer | string }> = {
  '/docs': {
    type: 'text/html; charset=utf-8',
    content: () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agenthall API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
  },
  '/docs/start.js': {
    type: 'text/javascript; charset=utf-8',
    content: () => "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true })\n"
  },
  '/docs/swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', content: () => asset(SCRIPT) },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', content: () => asset(STYLE) }
}

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Where the bare address leads a browser: to the console. */
const HOME = '/console/'

/** What the bare address answers a program, which has no use for a page. */
const WELCOME = { status: 'success', message: 'This is an Agenthall server.', data: { console: HOME, docs: '/docs', openapi: '/openapi.json', api: '/v1' } }

/**
 * The OpenAPI document at `/openapi.json`, a page to read and try it at `/docs`, and `/`, which leads a browser to the
 * console.
 */
export const docs: FastifyPluginAsync = async (app) => {
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true }, config: { permit: 'anyone', cors: 'any origin' } }, async (_request, reply) => {
    document ??= openapiText(app)
    return reply.type('application/json; charset=utf-8').send(document)
  })
  app.get('/', { schema: { hide: true }, config: { permit: 'anyone' } }, async ({ headers }, reply) => {
    reply.header('vary', 'accept')
    return headers.accept?.includes('text/html') ? reply.redirect(HOME, 302) : reply.send(WELCOME)
  })
  for (const [url, { type, content }] of Object.entries(FILES)) {
    app.get(url, { schema: { hide: true }, config: { permit: 'anyone' } }, async (_request, reply) => reply.type(type).headers({
      'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'public, max-age=3600'
    }).send(content()))
  }
}
