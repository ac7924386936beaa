import { useEffect } from 'preact/hooks'
import type { NoteRecord } from '../../../../../../schema/handoff.ts'
import { onHappened } from '../../../live.ts'
import { Face } from '../../../own/face.tsx'
import { useResource, type Resource } from '../../../resource.ts'
import { me } from '../../../session.ts'
import { shownClock } from '../../../texts/clocks.ts'
import { shownTime, texts } from '../../../texts/index.ts'

/** The team's notes on a conversation, read once for the thread and the panel beside it, and kept up to date. */
export function useNotes (id: string): Resource<NoteRecord[]> {
  const notes = useResource<NoteRecord[]>(`/conversations/${id}/notes`)
  useEffect(() => onHappened((event) => {
    if (event.id === id && event.type.startsWith('note.')) notes.reload()
  }), [id])
  return notes
}

/** A note where it was written, among the messages: dashed and as wide as the thread, as no message is. */
export function Noted ({ note: { person, created_at: at, text }, name }: { note: NoteRecord, name: string }) {
  const { inbox } = texts.value
  return (
    <li class='told noted'>
      <div role='note' aria-label={inbox.writes.note}>
        <p class='row quiet'>
          <Face id={String(person)} name={person === me.value!.user.id ? me.value!.user.name : name} size={24} />
          <strong dir='auto'>{name}</strong>
          <span aria-hidden='true'>{inbox.writes.note}</span>
          <time dateTime={at} title={shownTime(at)}>{shownClock(at)}</time>
        </p>
        <p class='said-text' dir='auto'>{text}</p>
      </div>
    </li>
  )
}
