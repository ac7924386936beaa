import Fastify from 'fastify'
import type { FloorOptions } from '../servers.ts'

const answers = JSON.parse(process.argv[2]!) as FloorOptions

// The limits that Agenthall runs with, so that the difference is Agenthall's own work.
const app = Fastify({
  bodyLimit: 262_144,
  requestTimeout: 15_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 5000,
  handlerTimeout: 10_000,
  routerOptions: { ignoreTrailingSlash: true },
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000 }
})
for (const [path, body] of Object.entries(answers)) {
  const bytes = Buffer.from(body)
  app.get(path, async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(bytes))
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!(user + system)
})
process.once('disconnect', () => process.exit())
process.send!(await app.listen({ port: 0, host: '127.0.0.1' }))
