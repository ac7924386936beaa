import type { Message } from '../../../../../../schema/conversations.ts'
import type { NoteRecord } from '../../../../../../schema/handoff.ts'

/** What stands in a thread: a message, or a note of the team. */
export type Line = { message: Message, note?: never } | { note: NoteRecord, message?: never }

/** When it was written. */
export const lineAt = ({ message, note }: Line) => (message ?? note).created_at

/**
 * The messages, which are in order, with each note where it was written. Notes from before the first message are left
 * out while there are earlier messages to be loaded: they may belong among those.
 */
export function inThread (messages: readonly Message[], notes: readonly NoteRecord[], hasEarlier: boolean): Line[] {
  const lines: Line[] = []
  const first = messages[0]?.created_at ?? ''
  const left = notes.filter(({ created_at: at }) => !hasEarlier || at >= first)
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  let at = 0
  for (const message of messages) {
    while (at < left.length && left[at]!.created_at < message.created_at) lines.push({ note: left[at++]! })
    lines.push({ message })
  }
  return [...lines, ...left.slice(at).map((note) => ({ note }))]
}
