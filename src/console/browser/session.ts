import { computed, signal } from '@preact/signals'
import type { Permission } from '../../../schema/access.ts'
import type { Me } from '../../../schema/people/me.ts'
import { api, refusedWith, type Asking } from './api.ts'
import { texts } from './texts/index.ts'

/** The signed-in user: undefined while unknown, null for nobody. */
export const me = signal<Me | null | undefined>(undefined)

/** Whether the sign-in is shown over the page, because the session ended during work. */
export const isSignInWanted = signal(false)
let waiting: Array<(isSignedIn: boolean) => void> = []

const permissions = computed(() => new Set<Permission>(me.value?.permissions ?? []))

/** Whether the signed-in user has this permission in the account. */
export function may (permission: Permission): boolean {
  return permissions.value.has(permission)
}

/** Loads the signed-in user. */
export async function load () {
  me.value = await read()
}

async function read (asking: Asking = {}): Promise<Me | null> {
  try {
    return (await api.get<Me>('/me', undefined, asking)).data
  } catch (error) {
    if ((error as { status?: number }).status !== 401) throw error
    return null
  }
}

/**
 * Called after signing in: resumes what waited for it; `arrive` is called before the view changes. Refuses if the
 * browser has not stored the server's cookie.
 */
export async function signedIn (arrive = () => {}) {
  const before = me.value
  const found = await read({ asIs: true })
  if (!found) throw refusedWith(401, { message: texts.value.signIn.noCookie })
  arrive()
  me.value = found
  // Another user or account must not continue the first one's work.
  if (before && (before.user.id !== me.value?.user.id || before.account.id !== me.value?.account.id)) {
    return location.reload()
  }
  isSignInWanted.value = false
  for (const go of waiting.splice(0)) go(true)
}

/** Shows the sign-in over the page; resolves when done, false if nobody was signed in before. */
export async function signInAgain (): Promise<boolean> {
  if (!me.value) return false
  isSignInWanted.value = true
  return await new Promise((resolve) => { waiting.push(resolve) })
}

/** Ends the session, here and on the server. */
export async function signOut () {
  await api.delete('/session')
  waiting = []
  me.value = null
}
