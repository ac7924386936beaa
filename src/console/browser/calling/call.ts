import type { Conversation, Message } from '../../../../schema/conversations.ts'
import type { Duty, Seen } from '../../../../schema/handoff.ts'
import { api } from '../api.ts'
import { isLeading, onHappened, type Happened } from '../live.ts'
import { askVisitor, calledIn } from '../people.ts'
import { go } from '../router.ts'
import { me } from '../session.ts'
import { texts } from '../texts/index.ts'
import { openBell, type Bell } from './bell.ts'
import { clear, isWanted, readWanted, show } from './desktop.ts'
import { isLookedAt } from './looking.ts'
import { keepPushed } from './push.ts'

/**
 * What calls a member: a visitor who waits for a person or wrote in a conversation assigned to them, or a colleague who
 * assigned one to them.
 */
interface Call { conversation: Conversation, why: 'waiting' | 'written' | 'given' }

/** The bell of this tab, while it announces calls. */
let bell: Bell | undefined

/** Plays the bell once, so that users who turn it on know what it sounds like. */
export const tryBell = () => { bell?.ring() }

/** Calls the signed-in user by sound and notification, if they have turned that on; the returned function stops it. */
export function callPerson (): () => void {
  readWanted()
  keepPushed()
  bell = openBell()
  const end = onHappened((event) => {
    // All tabs receive the event; one of them notifies.
    if (!isWanted.value || !isLeading.value) return
    const call = callIn(event)
    if (call) tell(call).catch(() => { /* The number in the tab still shows it. */ })
    if (isOwnSeen(event)) clear(event.id!).catch(() => { /* A click still closes it. */ })
  })
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  const open = ({ data }: MessageEvent) => {
    const { open: conversation } = data as { open?: string }
    if (conversation) go(`/inbox/${conversation}`)
  }
  serviceWorker?.addEventListener('message', open)
  serviceWorker?.startMessages()
  return () => {
    end()
    bell?.end()
    bell = undefined
    serviceWorker?.removeEventListener('message', open)
  }
}

function callIn ({ type, conversation: told, message: said }: Happened): Call | undefined {
  const conversation = told as Conversation | undefined
  if (!conversation) return undefined
  if (type === 'handoff.requested') return { conversation, why: 'waiting' }
  if (type === 'handoff.assigned' && conversation.assignee === me.value?.user.id) return { conversation, why: 'given' }
  const isOwn = conversation.handled_by === 'person' && conversation.person === me.value?.user.id
  const isNew = type === 'message.created' && (said as Message | undefined)?.role === 'visitor'
  return isOwn && isNew ? { conversation, why: 'written' } : undefined
}

function isOwnSeen (event: Happened): boolean {
  return event.type === 'seen' && (event as unknown as Seen).user === me.value?.user.id
}

async function tell ({ conversation, why }: Call) {
  const { id, visitor } = conversation
  if (await isLookedAt(id)) return
  // Members who are not available are not called by waiting visitors, only by those they have already taken over.
  if (why === 'waiting' && !(await api.get<Duty>('/me/duty')).data.is_on_duty) return
  const { calls } = texts.value
  bell?.ring()
  await show({ title: calls[why], body: calledIn(conversation, await askVisitor(visitor)), conversation: id })
}
