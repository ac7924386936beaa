import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Settings of a server with an embeddings service that embeds everything the same. */
export async function embeddingsService (t: Test): Promise<Record<string, string>> {
  const service = createServer(async (request, reply) => {
    const { input } = JSON.parse((await request.toArray()).join('')) as { input: string[] }
    reply.end(JSON.stringify({ data: input.map((_text, index) => ({ index, embedding: [1, 0, 0] })) }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => service.close().closeAllConnections())
  await once(service, 'listening')
  return {
    AGENTHALL_EMBEDDINGS_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
    AGENTHALL_EMBEDDINGS_DIMENSIONS: '3'
  }
}
