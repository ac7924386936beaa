import type { SavedReply } from '../../../../../../schema/replies.ts'

/** Values of placeholders in a conversation; undefined if unknown. */
export type Values = Record<string, string | undefined>

/** The start of a key in the box: `/ship`. Undefined for any other content. */
export function typedKey (text: string): string | undefined {
  return /^\/(\S{0,40})$/.exec(text)?.[1]
}

/** The text of a reply, preferably in the visitor's language, else in the console's. */
export function wordsFor ({ texts }: SavedReply, languages: readonly (string | null)[]): string {
  const found = languages.find((one) => one !== null && one in texts)
  return texts[found ?? Object.keys(texts)[0]!]!
}

/** A text with its placeholders filled in: `{{visitor|there}}` becomes "there" if the visitor is unknown. */
export function filled (text: string, values: Values): string {
  return text.replaceAll(/\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g, (whole, name: string, otherwise: string | undefined) => {
    const key = name.trim()
    return key in values ? values[key] ?? otherwise?.trim() ?? '' : whole
  })
}

/**
 * The replies whose key or text contains what was typed: key prefixes first, and among equals those in the visitor's
 * language.
 */
export function matching (
  replies: readonly SavedReply[], typed: string, spoken: string | null = null
): SavedReply[] {
  const wanted = typed.toLowerCase()
  const rank = ({ key, texts }: SavedReply) => {
    const place = key.toLowerCase().indexOf(wanted)
    if (place !== -1) return place === 0 ? 0 : 1
    return Object.values(texts).some((text) => text.toLowerCase().includes(wanted)) ? 2 : 3
  }
  const isForeign = ({ texts }: SavedReply) => Number(spoken !== null && !(spoken in texts))
  return replies.map((reply) => ({ reply, rank: rank(reply) })).filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || isForeign(a.reply) - isForeign(b.reply)).map(({ reply }) => reply)
}
