import '../../bare-children.ts'
import t from 'tap'
import { build } from '../../helper.ts'
import { webIsBuilt } from '../../web.ts'

t.before(webIsBuilt)

t.test('the bare address leads a browser to the console and tells a program where things are', async (t) => {
  const { app } = await build(t)
  const browser = await app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  t.match(browser, { statusCode: 302, headers: { location: '/console/', vary: 'accept' } })
  t.equal((await app.inject(browser.headers.location!)).statusCode, 200)
  for (const accept of ['*/*', 'application/json']) {
    const { statusCode, headers, json } = await app.inject({ url: '/', headers: { accept } })
    t.match(
      [statusCode, headers.vary, json()],
      [200, 'accept', { status: 'success', data: { console: '/console/', docs: '/docs', openapi: '/openapi.json' } }]
    )
  }
})
