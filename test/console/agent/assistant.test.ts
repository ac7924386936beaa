import t from 'tap'
import { fixedClock } from '../../helper.ts'
import { openSystem } from '../../actions/helper.ts'
import { asking } from '../../mcp/oauth/helper.ts'
import { closeBrowser, seenByAxe, signedIn, withoutChromium } from '../helper.ts'
import { theBrowser } from '../../browser/helper.ts'

t.teardown(closeBrowser)
const PASSWORD = 'correct horse battery staple'

t.test('whoever an assistant leads to signs in, sees whose it is, says what it may do, and ends it again', {
  skip: withoutChromium
}, async (t) => {
  // Browsers store no expired cookie.
  const built = await asking(t, {}, { clock: fixedClock(Date.now()) })
  const { app, base, stores, me, queryWith, exchange, ping } = built
  const there = await openSystem(t, (_request, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back</h1>'))
  const redirect = `http://${there.host}/back`
  const { token } = (await stores.signIn.makeLink(me.id))!
  await app.inject({ method: 'POST', url: '/v1/links/use', payload: { token, password: PASSWORD, email: 'ada@example.com' } })
  const context = await (await theBrowser(t)).newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${base}/oauth/authorize?${queryWith({ redirect_uri: redirect })}`)
  await page.getByLabel('E-mail address').first().fill('ada@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await page.getByRole('heading', { name: '“Helpful” asks to work for you' }).waitFor()
  await page.getByText(built.assistant.host, { exact: true }).waitFor()
  await page.getByText('a program on this computer').waitFor()
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 2, 'what it asks for')
  await seenByAxe(t, page, 'an assistant that asks to be let in')
  await page.getByLabel(/Change drafts of agents/).uncheck()
  await page.getByLabel('For').selectOption('one day')
  await page.getByRole('button', { name: 'Let it in', exact: true }).click()
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  const said = new URL(page.url()).searchParams
  t.match([said.get('state'), said.get('iss')], ['its state', base])
  const tokens = await exchange(said.get('code')!, { redirect_uri: redirect })
  t.equal(tokens.scope, 'VIEW_ANALYTICS')
  t.equal(await ping(tokens.access_token), 200)

  await page.goto(`${base}/console/#/keys`)
  await page.getByText(`Assistant, ${built.assistant.host}`).waitFor()
  await seenByAxe(t, page, 'keys with that of an assistant')
  await page.getByRole('button', { name: 'Revoke Helpful' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText(`Assistant, ${built.assistant.host}`).waitFor({ state: 'detached' })
  t.equal(await ping(tokens.access_token), 401)
  t.strictSame(faults, [])
})

t.test('who says no goes back with that; what cannot be let in goes nowhere by itself', { skip: withoutChromium }, async (t) => {
  const built = await asking(t)
  const { base, me, queryWith } = built
  const there = await openSystem(t, (_request, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back</h1>'))
  const redirect = `http://${there.host}/back`
  const context = await signedIn(t, { host: base, withSession: built.withSession }, me.id)
  const page = await context.newPage()
  await page.goto(`${base}/oauth/authorize?${queryWith({ redirect_uri: redirect })}`)
  await page.getByRole('button', { name: 'Do not let it in' }).click()
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')

  await page.goto(`${base}/oauth/authorize?${queryWith({ redirect_uri: redirect, code_challenge: undefined })}`)
  await page.getByText(/cannot be let in: a code_challenge/).waitFor()
  await seenByAxe(t, page, 'an assistant that cannot be let in')
  t.equal(there.asked.filter(({ line }) => line.includes('/back')).length, 1, 'nobody went there')
  await page.getByRole('button', { name: /^Back to/ }).click()
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  t.equal(new URL(page.url()).searchParams.get('error'), 'invalid_request')

  await page.goto(`${base}/oauth/authorize?${queryWith({ redirect_uri: 'https://evil.example/' })}`)
  await page.getByText(/does not list the address to go back to/).waitFor()
  t.equal(await page.getByRole('link', { name: /evil/ }).count(), 0)
  t.equal((await built.session.get('/v1/api_keys')).json().data.length, 1)
})
