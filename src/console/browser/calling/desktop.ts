import { signal } from '@preact/signals'
import { me } from '../session.ts'

/** What the worker is told to show, and where a click on it leads. */
export interface Shown { title: string, body: string, conversation: string }

/** The worker's address: fixed, because a browser asks there whether it has changed. */
const WORKER = '/console/sw.js'

/** Whether whoever is signed in wants to be called in this browser. */
export const isWanted = signal(false)
/** What the browser says of notifications; `none`: it has none, as over plain http. */
export const leave = signal<NotificationPermission | 'none'>('none')

const keyOf = () => `agenthall:calls:${me.value?.user.id}`

/** Reads what was chosen in this browser before, and what it allows now. */
export function readWanted () {
  try {
    isWanted.value = localStorage.getItem(keyOf()) === 'on'
  } catch { /* Storage is blocked: it is asked for each time. */ }
  leave.value = 'Notification' in window && 'serviceWorker' in navigator ? Notification.permission : 'none'
}

/** Keeps whether somebody wants to be called here. */
export function want (on: boolean) {
  isWanted.value = on
  try {
    if (on) localStorage.setItem(keyOf(), 'on')
    else localStorage.removeItem(keyOf())
  } catch { /* Then it is for as long as the page is open. */ }
}

/** Asks the browser whether it may notify: only ever after a press on the button that says so. */
export async function askLeave () {
  if (leave.value === 'default') leave.value = await Notification.requestPermission()
}

let worker: Promise<ServiceWorkerRegistration | undefined> | undefined

/** The worker that shows notifications, and gets those that are pushed; undefined where the browser has none. */
export async function workerOf (): Promise<ServiceWorkerRegistration | undefined> {
  if (leave.value !== 'granted') return undefined
  worker ??= begun().catch(() => {
    // As in private windows. The next call tries again.
    worker = undefined
    return undefined
  })
  return await worker
}

/** The page's policy lets a script be named by this one rule alone, made once, which names one script. */
interface Rule { createScriptURL (url: string): string }
let rule: Rule | undefined

async function begun (): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = window as unknown as {
    trustedTypes?: { createPolicy (name: string, rules: object): Rule }
  }
  rule ??= trustedTypes?.createPolicy('agenthall-worker', { createScriptURL: () => WORKER })
  await navigator.serviceWorker.register(rule?.createScriptURL('') ?? WORKER)
  return await navigator.serviceWorker.ready
}

/** Shows a notification; of one conversation the last one alone stands there. */
export async function show ({ title, body, conversation }: Shown) {
  const registration = await workerOf()
  await registration?.showNotification(title, { body, tag: conversation, data: { conversation } })
    .catch(() => { /* Taken back meanwhile in the browser's settings. */ })
}

/** Takes away what was shown of a conversation, once it was seen. */
export async function clear (conversation: string) {
  if (!worker) return
  for (const shown of await (await worker)?.getNotifications({ tag: conversation }) ?? []) shown.close()
}
