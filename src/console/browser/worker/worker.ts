/*
 * The worker of the console: it shows what is pushed to this browser, with the console closed too, and opens the
 * conversation that a notification is about. It keeps nothing and stands between no page and the server.
 */

/** What is pushed, as src/notifications/ writes it. */
interface Pushed { title: string, body: string, conversation: string }
/** What a worker's own events have. */
interface Waiting { waitUntil (work: Promise<unknown>): void }
interface Push extends Waiting { data: { json (): unknown } | null }
interface Click extends Waiting {
  notification: { close (): void, data: { conversation: string } }
}
interface Window { url: string, focus (): Promise<unknown>, postMessage (message: unknown): void }
/** The worker itself, as far as it is used: browsers' types know pages or workers, not both. */
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

// A newer one takes the place of an older at once: neither keeps anything.
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

/** Opens a conversation in a console that is open, else in a new tab. */
async function open (conversation: string) {
  const [found] = await worker.clients.matchAll({ type: 'window' })
  if (!found) return await worker.clients.openWindow(`/console/#/inbox/${encodeURIComponent(conversation)}`)
  found.postMessage({ open: conversation })
  return await found.focus()
}
