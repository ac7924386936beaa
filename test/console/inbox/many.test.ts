import t from 'tap'
import { slowness } from '../../linear/turns.ts'
import { closeBrowser, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const ALL = 5000
const WAITING = 1000
/** Concurrent requests: their writes share a transaction. */
const TOGETHER = 100
/** Its limits: MiB, and drawn rows, which determine the time of painting and scrolling. */
const [HEAP_MIB, MOST_ROWS] = [48, 200]
/**
 * Before the first rows: the answers of the server (five lists, of which those who wait are read to the end in parts of
 * 100, and what any page of the console asks), and their bytes.
 */
const [MOST_ANSWERS, MOST_BYTES] = [20, 2 ** 20]
/** Elements added in one frame of scrolling: two chunks of 25 rows of 15 elements. */
const MOST_ADDED = 2 * 25 * 15
/** Milliseconds to the first rows, and of a task while scrolling, on the machine for which bounds are given. */
const [PAINTED_MS, STALL_MS] = [1000, 100]
/** How often it is opened for these: others who use the machine make it longer, never shorter. */
const ROUNDS = 3

/** What happens in the page: how long its tasks take, and how many elements a frame adds. */
const WATCH = `
  window.stalls = []
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.stalls.push(one.duration) })
    .observe({ type: 'longtask', buffered: true })
  window.added = 0
  window.count = () => new MutationObserver((all) => {
    for (const { addedNodes } of all) {
      for (const one of addedNodes) window.added += 1 + (one.querySelectorAll?.('*').length ?? 0)
    }
  }).observe(document.querySelector('.inbox-list'), { childList: true, subtree: true })
`

const SCROLL = `(async () => {
  window.count()
  let most = 0
  for (let i = 0; i < 60; i++) {
    // Asked for each time: a view that is still being drawn has another.
    const box = document.querySelector('.inbox-scroll')
    if (box) box.scrollTop += 600
    window.added = 0
    await new Promise(requestAnimationFrame)
    most = Math.max(most, window.added)
    if (i % 20 === 19) [...document.querySelectorAll('.inbox-scroll section > button')].at(-1)?.click()
  }
  return most
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
    const asked: string[] = []
    const sizes: Array<Promise<number>> = []
    page.on('request', (request) => { if (request.url().includes('/v1/')) asked.push(request.url()) })
    page.on('response', (response) => {
      if (response.url().includes('/v1/conversations')) sizes.push(response.body().then(({ length }) => length, () => 0))
    })
    const begun = Date.now()
    await page.evaluate("location.hash = '/inbox'")
    await page.locator('.inbox-entry').first().waitFor()
    const painted = Date.now() - begun
    const answers = asked.length
    const bytes = (await Promise.all(sizes.slice())).reduce((sum, one) => sum + one, 0)
    if (view !== 'All') await page.getByRole('button', { name: view, exact: true }).click()
    await page.waitForLoadState('networkidle')
    await page.locator('.inbox-scroll .inbox-entry').first().waitFor()
    await page.evaluate('window.stalls.length = 0')
    const added = await page.evaluate(SCROLL) as number
    await page.waitForLoadState('networkidle')
    const stall = await page.evaluate('Math.max(0, ...window.stalls)') as number
    const session = await context.newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage') as { usedSize: number }
    const rows = await page.locator('.inbox-entry').count()
    await page.close()
    t.comment(
      `${view}: first rows after ${painted} ms, ${answers} answers and ${(bytes / 1024).toFixed(0)} KiB, longest task while scrolling ` +
      `${stall} ms, ${added} elements added in a frame, ${(usedSize / 2 ** 20).toFixed(1)} MiB, ${rows} rows drawn`
    )
    return { painted, answers, bytes, stall, added, mib: usedSize / 2 ** 20, rows }
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
    const { painted, answers, bytes, stall, added, mib, rows } = await opened(view)
    const slow = slowness()
    t.comment(`${view}: this machine is ${slow.toFixed(1)} times slower`)
    t.ok(mib < HEAP_MIB, `${view}: ${mib} MiB`)
    t.ok(rows < MOST_ROWS, `${view}: ${rows} rows are drawn`)
    t.ok(answers <= MOST_ANSWERS, `${view}: ${answers} answers before the first rows`)
    t.ok(bytes <= MOST_BYTES, `${view}: ${bytes} bytes before the first rows`)
    t.ok(added <= MOST_ADDED, `${view}: a frame of scrolling adds ${added} elements`)
    let [first, longest] = [painted / slow, stall / slow]
    for (let round = 1; round < ROUNDS && (first >= PAINTED_MS || longest >= STALL_MS); round++) {
      const again = await opened(view)
      first = Math.min(first, again.painted / slowness())
      longest = Math.min(longest, again.stall / slowness())
    }
    t.ok(first < PAINTED_MS, `${view}: the first rows come after ${first} ms`)
    t.ok(longest < STALL_MS, `${view}: a task while scrolling takes ${longest} ms`)
  }
})
