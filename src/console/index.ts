import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { nothingHere } from '../platform/errors.ts'
import { CACHE_CONTROL, sendPage, sendWebFile, webFiles } from '../platform/http/web/files.ts'

/** Where the console is. */
const CONSOLE = '/console/'

/** What the console's page may do: nothing but load its own files and ask this server. */
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
  "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
  "worker-src 'self'", "require-trusted-types-for 'script'", 'trusted-types agenthall-worker'
].join('; ')

/**
 * The console: one page at `/console/`, and the files that it loads. Which of its pages is shown is in the fragment.
 */
export const consolePages: FastifyPluginAsyncTypebox = async (app) => {
  const files = webFiles()

  app.get(CONSOLE, { schema: { hide: true }, config: { permit: 'anyone' } }, async (request, reply) => {
    const page = pageOf(`${CONSOLE}${nameOf('console/main')}`, `${CONSOLE}${nameOf('console/style')}`)
    reply.headers({
      'content-security-policy': POLICY,
      'cache-control': CACHE_CONTROL.never,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    })
    return sendPage(request, reply, page)
  })

  // Its address never changes: browsers look there whether it has changed.
  app.get('/console/sw.js', { schema: { hide: true }, config: { permit: 'anyone' } }, async (request, reply) => {
    reply.headers({ 'content-security-policy': "default-src 'none'", 'x-content-type-options': 'nosniff' })
    return sendWebFile(request, reply, files.file(files.entry('console/worker'))!, CACHE_CONTROL.never)
  })

  app.get(
    '/console/:name',
    { schema: { hide: true, params: Type.Object({ name: Type.String() }) }, config: { permit: 'anyone' } },
    async (request, reply) => {
      const file = files.file(`console/${request.params.name}`)
      if (!file) throw nothingHere()
      return sendWebFile(request, reply, file, CACHE_CONTROL.forEver)
    }
  )

  /** The file of an entry, without its folder. */
  function nameOf (entry: string): string {
    return files.entry(entry).slice('console/'.length)
  }
}

function pageOf (script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Agenthall</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript. Everything that it does can be done through the API as well: see /docs.</noscript>
</body>
</html>
`
}
