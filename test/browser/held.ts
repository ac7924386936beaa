import type { Page } from 'playwright-core'

/** Holds the next request to such an address, or with `part: 'answer'` its response, until it is released. */
export async function held (
  page: Page, address: string, { part = 'request', method }: { part?: 'request' | 'answer', method?: string } = {}
): Promise<{ asked: Promise<void>, letGo: () => void }> {
  const [asked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHeld = false
  await page.route(address, async (route) => {
    if (isHeld || (method && route.request().method() !== method)) return await route.fallback()
    isHeld = true
    const response = part === 'answer' ? await route.fetch() : undefined
    asked.resolve()
    await letGo.promise
    await (response ? route.fulfill({ response }) : route.continue())
  })
  return { asked: asked.promise, letGo: letGo.resolve }
}
