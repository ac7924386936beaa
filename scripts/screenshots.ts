import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import t from 'tap'
import { QUESTION } from '../test/conversations/helper.ts'
import { slowModel } from '../test/conversations/slow-model.ts'
import { closeBrowser, shop, visitorAt } from '../test/browser/helper.ts'
import { consoleAt, signedIn } from '../test/console/helper.ts'

// Takes screenshots of what people see: `npm run screenshots`, or `npm run screenshots -- --to DIR`. They are taken of
// the production app with a scripted model, so that they can be reproduced at any time.
const { values: { to } } = parseArgs({ options: { to: { type: 'string', default: 'scripts/screenshots' } } })
mkdirSync(to, { recursive: true })
t.setTimeout(600_000)

const SHOP =
  '<h1>Bicycles</h1><p>Touring, town and cargo bicycles, made to order.</p><p>Delivery within two weeks. Returns within 30 days.</p>'
const LIGHT =
  '<link rel="stylesheet" href="data:text/css,body{font:16px/1.6 system-ui;margin:48px;color:rgb(40,40,48);background:rgb(250,250,248)}">'
const DARK =
  '<link rel="stylesheet" href="data:text/css,body{font:16px/1.6 system-ui;margin:48px;color:rgb(230,230,235);background:rgb(18,18,22)}">'
const APPEARANCE = {
  chatbotName: 'Velo',
  welcomeMessage: 'Hello! Ask me about **orders**, delivery and returns.',
  primaryColor: '#0f766e'
}
const ANSWER =
  'You have **30 days** from delivery [1].\n\n1. Pack it unused\n2. Send it back in its box\n\nThe price is paid back to your card.'

type Options = Parameters<typeof shop>[1]
type Visit = Awaited<ReturnType<typeof visitorAt>>

/** One screenshot: a shop, a screen, and what a visitor has done. */
function picture (
  name: string,
  options: Options & { screen?: Parameters<typeof visitorAt>[2] },
  act: (visit: Visit, model: Awaited<ReturnType<typeof slowModel>>) => Promise<void>
) {
  t.test(name, async (t) => {
    const model = await slowModel(t)
    const { screen = {}, agent = {}, ...rest } = options
    const { origin } = await shop(t, {
      body: SHOP,
      head: LIGHT,
      ...rest,
      env: { AGENTHALL_MODEL_URL: model.url },
      agent: {
        appearance: APPEARANCE,
        behavior: { suggestions: ['How do I return something?', 'Where is my order?'] },
        ...agent
      }
    })
    const visit = await visitorAt(t, origin, { viewport: { width: 1100, height: 800 }, ...screen })
    await visit.widget.launcher.waitFor()
    await act(visit, model)
    await visit.page.waitForTimeout(200)
    await visit.page.screenshot({ path: path.join(to, `${name}.png`) })
  })
}

async function answered ({ widget }: Visit, model: Awaited<ReturnType<typeof slowModel>>, text = ANSWER) {
  await widget.open()
  await widget.ask(QUESTION)
  const asked = await model.next()
  await asked.say(text)
  asked.end()
  await widget.panel.locator('.judge').waitFor()
}

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const ASKING = {
  behavior: { collectVisitorData: true },
  privacy_url: 'https://shop.example/privacy',
  gdpr_settings: {
    data_retention_message: 'We keep this conversation for 30 days, to answer you and to get better.',
    gdpr_message_display: true
  }
}

picture('widget-launcher', { agent: { appearance: { ...APPEARANCE, buttonText: 'Ask us' } } }, async () => {})
picture('widget-open', {}, async ({ widget }) => { await widget.open() })
picture('widget-answer', {}, async (visit, model) => {
  await answered(visit, model)
  await visit.widget.panel.locator('.cite').click()
})
picture(
  'widget-dark',
  { head: DARK, agent: { appearance: { ...APPEARANCE, primaryColor: '#8b87ff', secondaryColor: '#17181c' } } },
  answered
)
picture('widget-phone', { screen: PHONE }, answered)
picture(
  'widget-right-to-left',
  {
    attributes: 'data-language="ar"',
    agent: {
      appearance: { ...APPEARANCE, welcomeMessage: 'مرحبًا! اسألني عن الطلبات والإرجاع.', position: 'bottom-left' }
    }
  },
  (visit, model) => answered(visit, model, 'لديك **30 يومًا** من تاريخ التسليم [1].')
)
picture('widget-form', { agent: ASKING }, async ({ widget, page }) => {
  await widget.open()
  await widget.panel.locator('input[name=email]').fill('ada')
  await page.keyboard.press('Enter')
})
picture('widget-writing', {}, async ({ widget }, model) => {
  await widget.open()
  await widget.ask(QUESTION)
  const asked = await model.next()
  await asked.say('You have **30 days** from delivery, as long as the bicycle is unused and ')
  await widget.answers.first().waitFor()
})
picture('widget-not-sent', { agent: { behavior: { expertHandoff: true } } }, async (visit, model) => {
  await answered(visit, model)
  await visit.page.route('**/v1/widget/**', (route) => route.abort())
  await visit.widget.ask('And what does it cost?')
  await visit.widget.panel.getByText('Not sent.').waitFor()
})

type Shop = Awaited<ReturnType<typeof shop>>

/** One screenshot of the console: where, what is there beforehand, what it waits for, and whether it is dark. */
function consolePicture (name: string, { at, dark = false, before = async () => {}, until }: {
  at: (built: Shop) => string, dark?: boolean, before?: (built: Shop) => Promise<unknown>, until: string
}) {
  t.test(name, async (t) => {
    const look = {
      appearance: APPEARANCE, behavior: { expertHandoff: true, suggestions: ['How do I return something?'] }
    }
    const built = await shop(t, { body: SHOP, head: LIGHT, agent: { name: 'Velo support', ...look } })
    await before(built)
    const context = await signedIn(t, built, built.me.id, { colorScheme: dark ? 'dark' : 'light' })
    // The time of the tests' clock, and five minutes.
    await context.clock.setFixedTime('2026-01-01T00:05:00Z')
    const { page } = await consoleAt(context, built, at(built))
    await page.getByText(until).first().waitFor()
    await page.waitForTimeout(1000)
    await page.screenshot({ path: path.join(to, `${name}.png`) })
  })
}

/** Two conversations, one of which waits for a person. */
async function talked ({ say, me, id, settled }: Shop) {
  await me.put('/v1/me/duty', { on: true })
  await say(QUESTION)
  const { data } = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'A damaged parcel' })).json()
  await me.post(`/v1/conversations/${data.id}/messages`, {
    text: 'My parcel is damaged. May I talk to a person, please?'
  })
  await settled()
}

/** Three weeks in which some were answered by the agent, and some requested a person. */
async function weeks (built: Shop) {
  const { me, id, settled, clock } = built
  for (let day = 0; day < DAYS; day++) {
    for (let n = 0; n < 3 + (day * 5) % 4; n++) {
      const { data } = (await me.post(`/v1/agents/${id}/conversations`, {})).json()
      const text = n % 4 === 3 ? 'My parcel is damaged. May I talk to a person, please?' : QUESTION
      await me.post(`/v1/conversations/${data.id}/messages`, { text })
    }
    await settled()
    clock.advance(DAY_MS)
    await settled()
  }
}
const [DAYS, DAY_MS] = [21, 86_400_000]

consolePicture('console-first-steps', { at: () => '/', until: 'First steps' })
consolePicture('console-agent', { at: ({ id }) => `/agents/${id}`, until: 'Preview' })
consolePicture('console-knowledge', { at: ({ id }) => `/agents/${id}/knowledge`, until: 'Returns' })
consolePicture('console-inbox', { at: ({ conversation }) => `/inbox/${conversation}`, before: talked, until: QUESTION })
consolePicture('console-inbox-dark', {
  at: ({ conversation }) => `/inbox/${conversation}`, before: talked, until: QUESTION, dark: true
})
consolePicture('console-figures', { at: () => '/figures', before: weeks, until: 'As a table' })

t.teardown(closeBrowser)
