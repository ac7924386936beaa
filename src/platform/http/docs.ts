import type { FastifyPluginAsync } from 'fastify'
import { asset } from '../process/assets.ts'
import { openapiText } from './openapi.ts'

const PACKAGE = 'node_modules/@fastify/swagger-ui/static'
const SCRIPT = `${PACKAGE}/swagger-ui-bundle.js`
const STYLE = `${PACKAGE}/swagger-ui.css`

/** The files that the docs page takes from its package; an executable carries them. */
export const DOCS_FILES = [SCRIPT, STYLE]

/** Begins the page, dark where the reader has it dark. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true })
`

/** The colours and the bar of the console, so that both are seen to belong together. */
const LOOK = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#fbfbfc, #101114); color: light-dark(#17181c, #f1f1f4); }
.bar { display: flex; gap: 16px; align-items: center; padding: 12px 24px; font: 14px/1.5 Inter, system-ui, sans-serif;
  background: light-dark(#f4f4f6, #0c0d0f); border-block-end: 1px solid light-dark(#e6e6ea, #2a2b31); }
.bar a { color: inherit; text-decoration: none; }
.bar a:first-child { font-size: 16px; font-weight: 650; }
.bar a:last-child { margin-inline-start: auto; color: light-dark(#4f46e5, #8b87ff); }
.bar a:hover { text-decoration: underline; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag { font-family: Inter, system-ui, sans-serif; }
.swagger-ui .scheme-container { background: light-dark(#fff, #17181c); box-shadow: none; border-block: 1px solid light-dark(#e6e6ea, #2a2b31); }
.swagger-ui .btn.authorize, .swagger-ui .btn.execute { border-color: light-dark(#4f46e5, #8b87ff); color: light-dark(#4f46e5, #8b87ff); }
.swagger-ui .btn.authorize svg { fill: currentColor; }
.swagger-ui .btn.execute { background: light-dark(#4f46e5, #8b87ff); color: light-dark(#fff, #101114); }
`

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
<link rel="stylesheet" href="/docs/look.css">
</head>
<body>
<header class="bar"><a href="/console/">Agenthall</a><span>API</span><a href="/openapi.json">openapi.json</a></header>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
  },
  '/docs/start.js': {
    type: 'text/javascript; charset=utf-8',
    content: () => START
  },
  '/docs/look.css': { type: 'text/css; charset=utf-8', content: () => LOOK },
  '/docs/swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', content: () => asset(SCRIPT) },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', content: () => asset(STYLE) }
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Where the bare address leads a browser: to the console. */
const HOME = '/console/'

/** What the bare address answers a program, which has no use for a page. */
const WELCOME = {
  status: 'success',
  message: 'This is an Agenthall server.',
  data: { console: HOME, docs: '/docs', openapi: '/openapi.json', api: '/v1' }
}

/**
 * The OpenAPI document at `/openapi.json`, a page to read and try it at `/docs`, and `/`, which leads a browser to the
 * console.
 */
export const docs: FastifyPluginAsync = async (app) => {
  let document: string | undefined
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { permit: 'anyone', cors: 'any origin' } },
    async (_request, reply) => {
      document ??= openapiText(app)
      return reply.type('application/json; charset=utf-8').send(document)
    }
  )
  app.get('/', { schema: { hide: true }, config: { permit: 'anyone' } }, async ({ headers }, reply) => {
    reply.header('vary', 'accept')
    return headers.accept?.includes('text/html') ? reply.redirect(HOME, 302) : reply.send(WELCOME)
  })
  for (const [url, { type, content }] of Object.entries(FILES)) {
    app.get(url, { schema: { hide: true }, config: { permit: 'anyone' } }, async (_request, reply) =>
      reply
        .type(type)
        .headers({
          'content-security-policy': POLICY,
          'x-content-type-options': 'nosniff',
          'cache-control': 'public, max-age=3600'
        })
        .send(content())
    )
  }
}
