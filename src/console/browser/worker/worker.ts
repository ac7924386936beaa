/*
 * The console's service worker: it shows pushes to this browser, even with the console closed, and opens the
 * conversation that a notification is about. It stores nothing and intercepts no requests.
 */

/** The push payload, as src/notifications/ writes it. */
interface Pushed { title: string, body: string, conversation: string }
/** Properties of a worker's events. */
interface Waiting { waitUntil (work: Promise<unknown>): void }
interface Push extends Waiting { data: { json (): unknown } | null }
interface Click extends Waiting {
  notification: { close (): void, data: { conversation: string } }
}
interface Window { url: string, focus (): Promise<unknown>, postMessage (message: unknown): void }
/** The worker's scope, as far as used: the DOM types cover pages or workers, not both. */
interface Worker {
  registration: { showNotification (title: string, options: object): Promise<void> }
  clients: {
    matchAll (which: object): Promise<Window[]>
    openWindow (address: string): Promise<unknown>
    claim (): Promise<void>
  }
  skipWaiting (): Promise<void>
  addEventListener (type: 'push', heard: (event: Push) => void): void
  addEventListener (type: 'notificationclick', heard: (event: Click) => void): void
  addEventListener (type: 'install' | 'activate', heard: (event: Waiting) => void): void
}

const worker = globalThis as unknown as Worker

// A newer one replaces an older one at once: neither stores anything.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('push', (event) => {
  const { title, body, conversation } = event.data?.json() as Pushed
  event.waitUntil(
    worker.registration.showNotification(title, { body, tag: conversation, data: { conversation } })
  )
})

worker.addEventListener('notificationclick', (event) => {
  const { notification } = event
  notification.close()
  event.waitUntil(open(notification.data.conversation))
})

/** Opens a conversation in an open console, else in a new tab. */
async function open (conversation: string) {
  const [found] = await worker.clients.matchAll({ type: 'window' })
  if (!found) return await worker.clients.openWindow(`/console/#/inbox/${encodeURIComponent(conversation)}`)
  found.postMessage({ open: conversation })
  return await found.focus()
}
