import type { Appearance } from '../../schema/agents.ts'
import { textOn } from './browser/colors.ts'

/**
 * The address of the image next to an agent's messages: the one that was set, the initials of its name if its type says
 * so, or '' for the widget's built-in one.
 */
export function pictureOf ({ avatar, chatbotName, primaryColor }: Appearance): string {
  if (avatar.type !== 'initials') return avatar.src
  const letters = initialsOf(chatbotName)
  if (letters === '') return ''
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="${primaryColor}"/><text x="32" y="34" fill="${textOn(primaryColor)}" font-family="system-ui,sans-serif" font-size="26" font-weight="600" text-anchor="middle" dominant-baseline="middle">${letters}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(drawn)}`
}

/** The first letters of the first and the last word of a name, in upper case. */
function initialsOf (name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return ends.map((word) => /^.\p{M}*/u.exec(word)![0].toUpperCase()).join('')
}
