import { computed, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Message, MessagePreview, MessagePreviewShown, VisitorHere } from '../../../../../../schema/conversations.ts'
import { plainText, readMarkdown } from '../../../../../widget/browser/markdown.ts'
import { api } from '../../../api.ts'
import { MISSED, onHappened, type Happened } from '../../../live.ts'
import { asked } from '../../../resource.ts'

/** Which conversations their visitors have open, as far as known. */
const here = signal<ReadonlyMap<string, boolean>>(new Map())

/** The last message of conversations, as far as known; null: none yet. */
const previews = asked<MessagePreview | null>(async (ids) => {
  const { data } = await api.get<MessagePreviewShown[]>('/conversations/previews', { ids: ids.join(',') })
  here.value = new Map([...here.value, ...data.map((one) => [one.conversation, one.visitor_is_here] as const)])
  const found = new Map(data.map((one) => [one.conversation, one]))
  return new Map(ids.map((id) => [id, newer(id, found.get(id))]))
})
/** Incremented when messages may have been missed. */
const round = signal(0)

/** Answers and events may arrive out of order. */
function newer (id: string, told: MessagePreview | undefined): MessagePreview | null {
  const before = previews.known.peek().get(id)
  return before && before.seq > (told?.seq ?? 0) ? before : told ?? null
}

/** Keeps the last messages up to date from events; the returned function stops it. */
export function keepPreviews (): () => void {
  return onHappened((event: Happened) => {
    const { type, id, message: told } = event
    if (type === MISSED.type) round.value++
    if (id && type === 'visitor') {
      here.value = new Map([...here.value, [id, (event as unknown as VisitorHere).is_here]])
    }
    const message = told as Message | undefined
    if (!id || !message || message.role === 'system' || message.status === 'generating') return
    const { seq, role, author, text, attachments } = message
    previews.learn(new Map([[id, newer(id, {
      conversation: id, seq, role, author, text: (text || attachments[0]?.name || '').slice(0, MOST_CHARACTERS)
    })]]))
  })
}

/** Characters of a message that are shown, as the server has it. */
const MOST_CHARACTERS = 200

/** The last message of a conversation, and who wrote it; requested if unknown. */
export function usePreview (id: string): (Pick<MessagePreview, 'role' | 'author'> & { text: string }) | undefined {
  const now = round.value
  useEffect(() => previews.want(id, now > 0), [id, now])
  const last = useMemo(() => computed(() => previews.known.value.get(id)), [id]).value
  return useMemo(() => {
    if (!last) return undefined
    const { role, author, text } = last
    const plain = role === 'visitor' ? text : plainText(readMarkdown(text)).replaceAll(/\s+/g, ' ').trim()
    return plain ? { role, author, text: plain } : undefined
  }, [last])
}

/** Whether the visitor has a conversation open on a site now. */
export function useHere (id: string): boolean {
  return useMemo(() => computed(() => here.value.get(id) ?? false), [id]).value
}
