import type { Config } from '../../types.ts'
import { make } from '../dom.ts'
import type { frame } from '../frame.ts'
import type { Say } from '../messages.ts'

type Parts = Pick<ReturnType<typeof frame>, 'face' | 'hello'>

/**
 * Shows on the first view who is available, and until when, or from when on: avatars next to the agent's, and a
 * sentence below the greeting. Nothing outdated is shown.
 */
export function deskOn ({ face, hello }: Parts, say: Say, locale: string): (desk: Config['desk']) => void {
  const faces = make('div', { class: 'people', 'aria-hidden': 'true' })
  const line = make('p', { class: 'desk' })
  face.after(faces)
  return (desk) => {
    const until = desk?.until ? new Date(desk.until) : undefined
    const isTrue = desk && !(until && until.getTime() < Date.now())
    const people = isTrue && desk.open ? desk.people : []
    const text = isTrue ? sentence(say, locale, { ...desk, at: until }) : ''
    faces.replaceChildren(...people.map((name) => make('span', { class: 'face on', text: initialsOf(name) })))
    line.textContent = text
    // The greeting is redrawn when its text changes.
    if (text) hello.append(line)
    else line.remove()
  }
}

/** The first letters of the first and the last word. */
export function initialsOf (name: string): string {
  const words = name.match(/[\p{L}\p{N}]\p{M}*/gu) && name.trim().split(/\s+/)
  if (!words) return ''
  return (words.length > 1 ? [words[0]!, words.at(-1)!] : words).map((word) => [...word][0]!.toUpperCase()).join('')
}

/** The business's hours, in the reader's time zone. */
function sentence (
  say: Say, locale: string, { open, people, at }: { open: boolean, people: string[], at: Date | undefined }
): string {
  const hours = { hour: 'numeric', minute: '2-digit' } as const
  if (!open) return say('returns', { when: at!.toLocaleString(locale, { weekday: 'long', ...hours }) })
  const who = people.length > 0 ? new Intl.ListFormat(locale).format(people) : say('team')
  const isToday = at?.toDateString() === new Date().toDateString()
  return at && isToday ? say('until', { time: at.toLocaleTimeString(locale, hours), who }) : say('now', { who })
}
