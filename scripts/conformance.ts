import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '../src/config.ts'
import { startServer } from '../src/server.ts'

// npm run test:conformance   The conformance runner of the Model Context Protocol against /mcp, of both generations. It
// is fetched by npx, and cannot send a key: a proxy adds it. Most of its scenarios call tools, prompts and resources of
// an example server; these are no part of the protocol, and only what every server has to do is tested here.

const RUNNER = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** What is tested for each revision: scenarios that need nothing of the example server. */
const SCENARIOS: Record<string, string[]> = {
  '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless', 'http-header-validation', 'tools-list', 'resources-list', 'sep-2164-resource-not-found', 'caching',
    'dns-rebinding-protection', 'input-required-result-missing-input-response', 'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params', 'input-required-result-validate-input'
  ]
}
/** There are no prompts here, and so no list of them that could state how long it may be cached. */
const NOT_HERE = ['sep-2549-prompts-list-caching-hints']

interface Check { id: string, status: string, errorMessage?: string, details?: { untestable?: boolean } }

/** Forwards to the server at `to`, with the key that the runner cannot send. */
async function proxyTo (to: { url: string, key: string }) {
  const proxy = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const headers = { ...asked.headers, authorization: `Bearer ${to.key}` }
    const onward = request(new URL(asked.url!, to.url), { method: asked.method, headers }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers)
      answered.pipe(answer)
    })
    onward.on('error', (error) => answer.writeHead(502).end(String(error)))
    asked.pipe(onward)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return { proxy, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

/** The runner's result for one scenario. */
async function checksOf (url: string, revision: string, scenario: string, directory: string): Promise<Check[]> {
  const output = path.join(directory, `${revision}-${scenario}`)
  // It exits with 1 where something failed, and still reports what.
  await promisify(execFile)('npx', [
    '--yes', RUNNER, 'server', '--url', `${url}/mcp`, '--scenario', scenario, '--spec-version', revision, '--output-dir', output
  ]).catch(() => undefined)
  const [run] = readdirSync(output)
  return JSON.parse(readFileSync(path.join(output, run!, 'checks.json'), 'utf8')) as Check[]
}

const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-conformance-'))
const to = { url: '', key: '' }
const { proxy, url } = await proxyTo(to)
const server = await startServer(
  readConfig({ AGENTHALL_BASE_URL: url }, { PORT: '0', DATA: path.join(directory, 'data') }), { log: false }
)
let failed = 0
try {
  to.url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  to.key = server.firstKey!
  for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
    for (const scenario of scenarios) {
      const checks = await checksOf(url, revision, scenario, directory)
      const wrong = checks.filter(({ id, status, details }) =>
        status === 'FAILURE' && !details?.untestable && !NOT_HERE.includes(id))
      failed += wrong.length
      console.log(`${revision}  ${scenario}: ${checks.filter(({ status }) => status === 'SUCCESS').length} passed, ${wrong.length} failed`)
      for (const { id, errorMessage } of wrong) console.log(`  ${id}: ${errorMessage}`)
    }
  }
} finally {
  await server.close()
  proxy.close()
  rmSync(directory, { recursive: true })
}
process.exitCode = failed === 0 ? 0 : 1
