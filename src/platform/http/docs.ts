import type { FastifyPluginAsync } from 'fastify'
import { asset } from '../process/assets.ts'

const PACKAGE = 'node_modules/@fastify/swagger-ui/static'
const SCRIPT = `${PACKAGE}/swagger-ui-bundle.js`
const STYLE = `${PACKAGE}/swagger-ui.css`

/** The checked-in document: what the routes say about themselves, which would block the loop for 0.4 s to build. */
const DOCUMENT = 'openapi.json'

/** The document, and the files that the docs page takes from its package; an executable contains them. */
export const DOCS_FILES = [DOCUMENT, SCRIPT, STYLE]

/**
 * Samples of each call in three languages, generated from the document: what is sent, with the example of its body.
 * They are displayed and never run.
 */
const SAMPLES = String.raw`const METHODS_WITH_BODY = ['post', 'put', 'patch']
const quoted = (text) => JSON.stringify(text)
const inShell = (text) => "'" + text.replaceAll("'", "'\\''") + "'"
const inPython = (value) => value === null ? 'None' : value === true ? 'True' : value === false ? 'False'
  : Array.isArray(value) ? '[' + value.map(inPython).join(', ') + ']'
  : typeof value === 'object' ? '{' + Object.entries(value).map(([name, one]) => quoted(name) + ': ' + inPython(one)).join(', ') + '}'
  : JSON.stringify(value)

const bodyOf = (operation) => operation.requestBody?.content?.['application/json']?.example

/** Where a file can be sent, its name in the samples. */
const fileOf = (operation, path) => operation.requestBody?.content?.['multipart/form-data'] &&
  (path.endsWith('/imports') ? 'export.zip' : 'returns.pdf')

function samplesOf (spec, path, method) {
  const operation = spec.paths[path]?.[method] ?? {}
  const body = METHODS_WITH_BODY.includes(method) ? bodyOf(operation) : undefined
  const file = fileOf(operation, path)
  const call = { isOpen: operation.security?.length === 0, verb: method.toUpperCase(), url: location.origin + path }
  const asFile = file ? samplesWith({ ...call, file }).map(([name, text]) => [name + ', with a file', text]) : []
  return operation.requestBody?.content?.['application/json'] || !file
    ? [...samplesWith({ ...call, body }), ...asFile] : samplesWith({ ...call, file })
}

function samplesWith ({ isOpen, verb, url, body, file }) {
  const header = document.body.dataset.header
  const curl = ['curl -X ' + verb + ' ' + quoted(url)]
  if (!isOpen) curl.push("-H 'authorization: " + header + "'")
  if (body !== undefined) curl.push("-H 'content-type: application/json'", '-d ' + inShell(JSON.stringify(body)))
  if (file) curl.push('-F ' + inShell('file=@' + file))
  const headers = [...(isOpen ? [] : ["authorization: '" + header + "'"]), ...(body === undefined ? [] : ["'content-type': 'application/json'"])]
  const parts = ['method: ' + quoted(verb), ...(headers.length ? ['headers: { ' + headers.join(', ') + ' }'] : []),
    ...(body === undefined ? [] : ['body: JSON.stringify(' + JSON.stringify(body) + ')']), ...(file ? ['body: form'] : [])]
  const form = file ? 'const { readFile } = await import' + "('node:fs/promises')\nconst form = new FormData()\n" +
    "form.append('file', new Blob([await readFile('" + file + "')]), '" + file + "')\n" : ''
  const python = [quoted(verb), quoted(url), ...(isOpen ? [] : ['headers={"authorization": ' + quoted(header) + '}']),
    ...(body === undefined ? [] : ['json=' + inPython(body)]), ...(file ? ['files={"file": open(' + quoted(file) + ', "rb")}'] : [])]
  return [
    ['curl', curl.join(' \\\n  ')],
    ['JavaScript', form + 'const answer = await fetch' + '(' + quoted(url) + ', {\n  ' + parts.join(',\n  ') + '\n})\nconsole.log(await answer.json())'],
    ['Python', 'import requests\n\nanswer = requests.request(\n    ' + python.join(',\n    ') + ',\n)\nprint(answer.json())']
  ]
}

const samples = ({ React }) => ({
  wrapComponents: {
    parameters: (Original, system) => (props) => React.createElement(React.Fragment, null,
      React.createElement('div', { className: 'samples' }, samplesOf(system.specSelectors.specJson().toJS(), ...props.pathMethod).map(
        ([name, text]) => React.createElement('details', { key: name, open: name === 'curl' },
          React.createElement('summary', null, name), React.createElement('pre', { tabIndex: 0 }, text)))),
      React.createElement(Original, props))
  }
})
`

/**
 * Starts the page, dark if the reader prefers dark. Only what is on the screen is drawn, so a browser's own search does
 * not find the rest: there is a search field for that.
 */
const START = `${SAMPLES}const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
const address = document.querySelector('.begin pre')
address.textContent = address.textContent.replace('https://chat.example.com', location.origin)
SwaggerUIBundle({
  plugins: [samples], url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true,
  filter: true, operationsSorter: 'alpha'
})
`

/**
 * The colours and the bar of the console, so that both visibly belong together, also where the package has dark colours
 * of its own.
 */
const LOOK = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#fbfbfc, #101114); color: light-dark(#17181c, #f1f1f4); }
.bar { display: flex; gap: 16px; align-items: center; padding: 12px 24px; font: 14px/1.5 Inter, system-ui, sans-serif;
  background: light-dark(#f4f4f6, #0c0d0f); border-block-end: 1px solid light-dark(#e6e6ea, #2a2b31); }
.bar a { color: inherit; text-decoration: none; }
.bar a:first-child { font-size: 16px; font-weight: 650; }
.bar a:last-child { margin-inline-start: auto; color: light-dark(#4f46e5, #8b87ff); }
.bar a:hover { text-decoration: underline; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag { font-family: Inter, system-ui, sans-serif; }
:root:root:root .swagger-ui { background: none; }
:root:root:root .swagger-ui .scheme-container { background: light-dark(#fff, #17181c); box-shadow: none; border-block: 1px solid light-dark(#e6e6ea, #2a2b31); }
:root:root:root .swagger-ui :is(.btn.authorize, .btn.execute) { border-color: light-dark(#4f46e5, #8b87ff); color: light-dark(#4f46e5, #8b87ff); }
:root:root:root .swagger-ui .btn.authorize svg { color: inherit; fill: currentColor; }
.begin { max-width: 760px; margin: 0 auto; padding: 24px; font: 14px/1.6 Inter, system-ui, sans-serif; }
.begin h1 { font-size: 24px; font-weight: 650; margin: 0 0 8px; }
.begin h2 { font-size: 16px; font-weight: 650; margin: 24px 0 8px; }
.begin a { color: light-dark(#4f46e5, #8b87ff); }
.begin pre, .samples pre { margin: 0; padding: 12px; border-radius: 8px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.5 ui-monospace, monospace; background: light-dark(#f4f4f6, #0c0d0f); color: light-dark(#17181c, #f1f1f4);
  border: 1px solid light-dark(#e6e6ea, #2a2b31); }
.samples { padding: 12px 20px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; font: 14px/1.5 Inter, system-ui, sans-serif; }
.samples summary { cursor: pointer; font-weight: 550; padding: 4px 0; }
:root .swagger-ui .filter .operation-filter-input { width: 100%; max-width: 100%; }
.swagger-ui .opblock { border-radius: 12px; box-shadow: none; }
.swagger-ui .info { margin: 16px 0; }
:root:root:root .swagger-ui .btn.execute { background: light-dark(#4f46e5, #8b87ff); color: light-dark(#fff, #101114); }
`

/** Introduction before the calls, as HTML, and a sample of the caller's credentials: the value of `authorization`. */
interface DocsParts { begins: string, header: string }

/** Everything the docs page loads, by exact address: nothing else is served. */
const filesOf = ({ begins, header }: DocsParts): Record<string, { type: string, content: () => Buffer | string }> => ({
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
<body data-header="${header}">
<header class="bar"><a href="/console/">Agenthall</a><span>API</span><a href="/openapi.json">openapi.json</a></header>
<main class="begin">${begins}</main>
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
})

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Where the bare address redirects a browser: to the console. */
const HOME = '/console/'

/** Response of the bare address to a program, which has no use for a page. */
const WELCOME = {
  status: 'success',
  message: 'This is an Agenthall server.',
  data: { console: HOME, docs: '/docs', openapi: '/openapi.json', api: '/v1' }
}

/**
 * The OpenAPI document at `/openapi.json`, a page to read and try it at `/docs`, and `/`, which redirects a browser to
 * the console.
 */
export const docs: FastifyPluginAsync<DocsParts> = async (app, parts) => {
  let document: Buffer | undefined
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { permit: 'anyone', cors: 'any origin' } },
    async (_request, reply) => {
      document ??= asset(DOCUMENT)
      return reply.type('application/json; charset=utf-8').send(document)
    }
  )
  app.get('/', { schema: { hide: true }, config: { permit: 'anyone' } }, async ({ headers }, reply) => {
    reply.header('vary', 'accept')
    return headers.accept?.includes('text/html') ? reply.redirect(HOME, 302) : reply.send(WELCOME)
  })
  for (const [url, { type, content }] of Object.entries(filesOf(parts))) {
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
