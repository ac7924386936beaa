import t from 'tap'
import { PASSWORD, joined, signedUp } from '../access/people.ts'
import { fixedClock } from '../helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from './helper.ts'
import { theBrowser } from '../browser/helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** A browser drops the cookie of a session that has expired by its own clock. */
const ofToday = () => fixedClock(Date.now())

t.test('an invitation is used: the link is shown once, and opens the inbox to who has it', { skip }, async (t) => {
  const built = await shop(t, { clock: ofToday() })
  const { me, host } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/team')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill('bob@example.com')
  await page.getByRole('button', { name: 'Make the link' }).click()
  const link = await page.getByRole('dialog').getByLabel('Link').inputValue()
  await seenByAxe(t, page, 'an invitation')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('bob@example.com').waitFor()
  // Was wrong: which invitation it takes back was not in the button's name.
  await page.getByRole('button', { name: /: bob@example\.com$/ }).waitFor()
  await seenByAxe(t, page, 'the team')
  const context = await (await theBrowser(t)).newContext()
  const invited = await context.newPage()
  await invited.goto(`${host}/console/${new URL(link).hash}`)
  await invited.getByLabel('Your name').fill('Bob')
  await invited.getByLabel('New password').fill(PASSWORD)
  await invited.getByRole('button', { name: 'Join' }).click()
  await invited.getByRole('link', { name: 'Inbox' }).click()
  await invited.getByRole('heading', { name: 'Inbox' }).waitFor({ state: 'attached' })
  t.equal(await invited.getByRole('link', { name: 'API keys' }).count(), 0, 'and to nothing else')
  await page.reload()
  await page.getByRole('button', { name: 'Remove Bob' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove Bob' }).waitFor({ state: 'detached' })
  t.equal((await me.get('/v1/members')).json().data.length, 1)
  t.strictSame(faults, [])
})

t.test('an API key is made, works, is shown once and revoked', { skip }, async (t) => {
  const built = await shop(t)
  const { me, withKey } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/keys')
  await page.getByRole('button', { name: 'Make an API key' }).click()
  await page.getByLabel('Name').fill('Deploy script')
  await page.getByLabel('See the figures').check()
  await seenByAxe(t, page, 'a new key')
  await page.getByRole('dialog').getByRole('button', { name: 'Make an API key' }).click()
  const key = withKey(await page.getByRole('dialog').getByLabel('API key', { exact: true }).last().inputValue())
  t.equal((await key.get('/v1/analytics')).statusCode, 200)
  t.equal(
    (await key.get('/v1/conversations/conv_0000000000000000000000/notes')).statusCode,
    403,
    'it may do what was chosen and nothing else'
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  t.match(
    await page.locator('.entry code').last().innerText(), /^agh_\w{4}…$/, 'how it begins, and that it goes on, once'
  )
  await seenByAxe(t, page, 'keys')
  await page.getByRole('button', { name: 'Revoke Deploy script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke Deploy script' }).waitFor({ state: 'detached' })
  t.equal((await key.get('/v1/analytics')).statusCode, 401)
  t.strictSame(faults, [])
})

t.test('one signs in by hand, changes name and password, and ends another session', { skip }, async (t) => {
  const built = await shop(t, { clock: ofToday() })
  const { host } = built
  const { id } = await signedUp(built, { name: 'Grace', email: 'grace@example.com' })
  await built.withSession(id)
  const context = await (await theBrowser(t)).newContext({ reducedMotion: 'reduce' })
  const { page, faults } = await consoleAt(context, { host }, '/account')
  await page.locator('form').first().getByLabel('E-mail address').fill('grace@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.own').getByText('Grace Hopper').waitFor()
  await seenByAxe(t, page, 'the account')
  // Was wrong: the buttons of several sessions all had one name.
  await page.getByRole('button', { name: /^Sign out there: ./ }).first().waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('button', { name: /^Sign out there/ }).first().waitFor({ state: 'detached' })
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill(`${PASSWORD} two`)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Password changed').waitFor()
  t.strictSame(faults.filter((fault) => !fault.includes('401')), [])
})

t.test('the account tells what is used by now', { skip }, async (t) => {
  const built = await shop(t)
  const { me } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/figures')
  await page.getByRole('heading', { name: 'Figures' }).waitFor()
  t.equal((await me.post('/v1/agents/', { name: 'Another', systemPrompt: 'Help.' })).statusCode, 201)
  await page.evaluate('location.hash = "/account"')
  // Was wrong: "0" agents and "0 bytes" stood there all day, as it was at sign-in.
  await page.locator('.known dd').first().filter({ hasText: /^2/ }).waitFor()
  // Was wrong: what has no limit was "12 kB of no limit".
  t.notMatch(await page.locator('.known').innerText(), /of no limit/)
  t.strictSame(faults, [])
})

t.test('a passkey is added, signs in without a password, and is removed', { skip }, async (t) => {
  const built = await shop(t, { clock: ofToday() })
  // Browsers have no passkeys for a bare IP address.
  const host = built.host.replace('127.0.0.1', 'localhost')
  const { id, as } = await signedUp(built, { name: 'Grace', email: 'grace@example.com' })
  const context = await signedIn(t, { ...built, host }, id)
  const { page, faults } = await consoleAt(context, { host }, '/account')
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  await page.getByLabel('Name of the new passkey').fill('My laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const passkey = page.locator('.entry', { hasText: 'My laptop' })
  await passkey.getByText('Never used').waitFor()
  await seenByAxe(t, page, 'a passkey')
  await page.locator('.own').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await passkey.waitFor()
  t.equal(await passkey.getByText('Never used').count(), 0)
  await passkey.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await passkey.waitFor({ state: 'detached' })
  t.strictSame((await as.get('/v1/me/passkeys')).json().data, [])
  t.strictSame(faults.filter((fault) => !fault.includes('401')), [])
})

t.test('whoever may not invite leaves a team from their account', { skip }, async (t) => {
  // Was wrong: the only button to leave was on a page that needs SEND_INVITE.
  const built = await shop(t, { clock: ofToday() })
  const { me, stores } = built
  const { id, as } = await signedUp(built, { name: 'Grace', email: 'grace@example.com' })
  joined(stores, me.id, id, ['REPLY_CONVERSATION'])
  const { page, faults } = await consoleAt(await signedIn(t, built, id), built, '/account')
  const accounts = page.locator('.accounts select')
  await page.getByRole('heading', { name: 'Who you are' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Leave' }).count(), 0, 'not from one’s own account')
  await page.locator('.own').click()
  await accounts.selectOption(String(me.id))
  await page.getByRole('link', { name: 'Inbox' }).waitFor()
  await page.locator('.own').click()
  await page.getByRole('link', { name: 'account' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await seenByAxe(t, page, 'leaving a team')
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await accounts.waitFor({ state: 'detached' })
  t.match((await as.get('/v1/me')).json().data, { account: { id }, accounts: { length: 1 } })
  t.strictSame(faults, [])
})

t.test('a member leaves a team, and is in their own account again', { skip }, async (t) => {
  const built = await shop(t, { clock: ofToday() })
  const { me, stores } = built
  const { id } = await signedUp(built, { name: 'Grace', email: 'grace@example.com' })
  joined(stores, me.id, id, ['SEND_INVITE', 'REPLY_CONVERSATION'])
  t.equal((await me.get('/v1/members')).json().data.length, 2)
  const { page, faults } = await consoleAt(await signedIn(t, built, id), built, '/team')
  const accounts = page.locator('.accounts select')
  await page.locator('.own').click()
  await accounts.selectOption(String(me.id))
  // A member who only answers there starts at what is waiting.
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByText('You lose everything that you may do here').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await accounts.waitFor({ state: 'detached' })
  await page.locator('.own').getByText('Grace', { exact: true }).waitFor()
  t.strictSame(
    (await me.get('/v1/members')).json().data.map(({ user }: { user: { id: number } }) => user.id), [me.id]
  )
  t.strictSame(faults, [])
})
