import { Bot, User } from 'lucide-preact'

/** Hues that distinguish faces: as many as look different. */
const HUES = 6

/** The first letters of a name, as a face shows them. */
export function initialsOf (name: string): string {
  const words = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
  return (words.length > 1 ? `${words[0]}${words.at(-1)}` : words[0] ?? '').toUpperCase()
}

/** Always the same hue for the same person. */
function hueOf (id: string): number {
  let sum = 0
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)!) % 997
  return sum % HUES + 1
}

/**
 * An avatar: initials on the person's own colour; grey if their name is unknown. `isHere`: they are on the site now,
 * shown by a green dot. `size`: diameter in pixels if not 32.
 */
export function Face ({ id, name, isHere = false, size = 32 }: {
  id: string, name: string | null | undefined, isHere?: boolean, size?: 20 | 24 | 32
}) {
  const initials = name ? initialsOf(name) : ''
  return (
    <span class={`face px${size}${initials ? ` h${hueOf(id)}` : ''}`} aria-hidden='true'>
      {initials || <User size={size / 2} />}
      {isHere && <span class='dot good' />}
    </span>
  )
}

/** The avatar of an agent: square, while people's are round. */
export function AgentFace ({ size = 32 }: { size?: 24 | 32 }) {
  return <span class={`face agent px${size}`} aria-hidden='true'><Bot size={size / 2} /></span>
}
