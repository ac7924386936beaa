import { Bot, User } from 'lucide-preact'

/** Hues that faces are told apart by: as many as look different. */
const HUES = 6

/** The first letters of a name, as a face shows them. */
export function initialsOf (name: string): string {
  const words = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
  return (words.length > 1 ? `${words[0]}${words.at(-1)}` : words[0] ?? '').toUpperCase()
}

/** The same for the same one, wherever they are seen. */
function hueOf (id: string): number {
  let sum = 0
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)!) % 997
  return sum % HUES + 1
}

/**
 * Who somebody is, at a glance: their initials on a colour of their own; grey where nobody knows their name. `isHere`:
 * they are on the site now, which a green dot says. `size`: pixels across, where it is not 32.
 */
export function Face ({ id, name, isHere = false, size = 32 }: {
  id: string, name: string | undefined, isHere?: boolean, size?: 20 | 24 | 32
}) {
  const initials = name === undefined ? '' : initialsOf(name)
  return (
    <span class={`face px${size}${initials ? ` h${hueOf(id)}` : ''}`} aria-hidden='true'>
      {initials || <User size={size / 2} />}
      {isHere && <span class='dot good' />}
    </span>
  )
}

/** The face of an agent: square, where people are round. */
export function AgentFace ({ size = 32 }: { size?: 24 | 32 }) {
  return <span class={`face agent px${size}`} aria-hidden='true'><Bot size={size / 2} /></span>
}
