import t from 'tap'
import { closeBrowser, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const ALL = 5000
const WAITING = 1000
/** Concurrent requests: their writes share a transaction. */
const TOGETHER = 100
/** Its limits: MiB, and drawn rows, which determine the time of painting and scrolling. */
const [HEAP_MIB, MOST_ROWS] = [48, 200]

/** What happens in the page: how long its tasks take. */
const WATCH = `
  window.stalls = []
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.stalls.push(one.duration) })
    .observe({ type: 'longtask', buffered: true })
`

const SCROLL = `(async () => {
  for (let i = 0; i < 60; i++) {
    // Asked for each time: a view that is still being drawn has another.
    const box = document.querySelector('.inbox-scroll')
    if (box) box.scrollTop += 600
    await new Promise(requestAnimationFrame)
    if (i % 20 === 19) [...document.querySelectorAll('.inbox-scroll section > button')].at(-1)?.click()
  }
})()`

t.test('an inbox of 5,000 conversations draws few of them at once, and stays small', {
  skip: withoutChromium, timeout: 300_000
}, async (t) => {
  const built = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  const { me, id, host, settled } = built
  await me.put('/v1/me/duty', { on: true })
  const context = await signedIn(t, built, me.id)
  await context.addInitScript({ content: WATCH })

  /** Opens the inbox from another page of the console, and scrolls to its end three times. */
  async function opened (view: string) {
    const page = await context.newPage()
    await page.goto(`${host}/console/#/account`)
    await page.locator('main .card').first().waitFor()
    await page.evaluate('window.stalls.length = 0')
    const begun = Date.now()
    await page.evaluate("location.hash = '/inbox'")
    await page.locator('.inbox-entry').first().waitFor()
    const painted = Date.now() - begun
    if (view !== 'All') await page.getByRole('button', { name: view, exact: true }).click()
    await page.waitForLoadState('networkidle')
    await page.locator('.inbox-scroll .inbox-entry').first().waitFor()
    await page.evaluate('window.stalls.length = 0')
    await page.evaluate(SCROLL)
    await page.waitForLoadState('networkidle')
    const stall = await page.evaluate('Math.max(0, ...window.stalls)') as number
    const session = await context.newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage') as { usedSize: number }
    const rows = await page.locator('.inbox-entry').count()
    await page.close()
    t.comment(`${view}: first rows after ${painted} ms, longest task while scrolling ${stall} ms, ${(usedSize / 2 ** 20).toFixed(1)} MiB, ${rows} rows drawn`)
    return { painted, stall, mib: usedSize / 2 ** 20, rows }
  }

  // How long an inbox with one conversation takes, as the baseline for the others.
  await opened('All')
  for (let n = 0; n < ALL; n += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, async (_, i) => {
      const { data } = (await me.post(`/v1/agents/${id}/conversations`, { subject: `Order ${n + i}` })).json()
      if (n < WAITING) await me.post(`/v1/conversations/${data.id}/handoff`, {})
    }))
  }
  await settled()
  for (const view of ['All', 'Agent']) {
    const { mib, rows } = await opened(view)
    t.ok(mib < HEAP_MIB, `${view}: ${mib} MiB`)
    t.ok(rows < MOST_ROWS, `${view}: ${rows} rows are drawn`)
  }
})
