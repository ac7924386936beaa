import type { SavedReply } from '../../../../../../schema/replies.ts'

/** What placeholders stand for in one conversation; undefined where it is not known. */
export type Values = Record<string, string | undefined>

/** What stands in the box is the beginning of a key: `/ship`. Undefined where it is anything else. */
export function typedKey (text: string): string | undefined {
  return /^\/(\S{0,40})$/.exec(text)?.[1]
}

/** The words of a reply, in the visitor's language before others; the console's own where it has none of theirs. */
export function wordsFor ({ texts }: SavedReply, languages: readonly (string | null)[]): string {
  const found = languages.find((one) => one !== null && one in texts)
  return texts[found ?? Object.keys(texts)[0]!]!
}

/** A text with what its placeholders stand for: `{{visitor|there}}` is "there" where nobody knows the visitor. */
export function filled (text: string, values: Values): string {
  return text.replaceAll(/\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g, (whole, name: string, otherwise: string | undefined) => {
    const key = name.trim()
    return key in values ? values[key] ?? otherwise?.trim() ?? '' : whole
  })
}

/** The replies whose key or words hold what was typed, those whose key begins so first. */
export function matching (replies: readonly SavedReply[], typed: string): SavedReply[] {
  const wanted = typed.toLowerCase()
  const rank = ({ key, texts }: SavedReply) => {
    const place = key.toLowerCase().indexOf(wanted)
    if (place !== -1) return place === 0 ? 0 : 1
    return Object.values(texts).some((text) => text.toLowerCase().includes(wanted)) ? 2 : 3
  }
  return replies.map((reply) => ({ reply, rank: rank(reply) })).filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank).map(({ reply }) => reply)
}
