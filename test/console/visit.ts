import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { signedUp } from '../access/people.ts'
import { build, fixedClock } from '../helper.ts'
import { webIsBuilt } from '../web.ts'

export { PASSWORD } from '../access/people.ts'
export const EMAIL = 'ada@shop.example'

/** The production app behind a real socket, and Ada, who has a password, a key and all permissions. */
export async function house (t: Test, env: Record<string, string> = {}) {
  await webIsBuilt()
  // Browsers store no cookie that has expired by their own clock.
  const built = await build(t, { AGENTHALL_WIDGET_SESSIONS_PER_MINUTE: '0', ...env }, { clock: fixedClock(Date.now()) })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const host = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`
  // Work that was started ends before the data is closed under it.
  t.teardown(built.settled)
  const { id, key: me } = await signedUp(built, { email: EMAIL })
  return { ...built, host, id, me }
}

/** A page of another origin under a strict policy; `show` sets its content. */
export async function foreignPage (t: Test, policy: string) {
  let html = ''
  const pages = createServer((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).end(html)
  })
  await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve))
  t.teardown(() => {
    pages.closeAllConnections()
    pages.close()
  })
  return {
    origin: `http://localhost:${(pages.address() as AddressInfo).port}`,
    show (tag: string) {
      html = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Shop</h1>${tag}</body></html>`
    }
  }
}
