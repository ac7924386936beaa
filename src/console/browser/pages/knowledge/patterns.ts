/** Maximum length of a pattern. */
const LONGEST_PATTERN = 200

/**
 * The patterns typed into a field, one per line: a copied address becomes its path, and the leading slash may be
 * missing.
 */
export function patternsIn (text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
  return [...new Set(lines.map((line) => {
    const path = line.replace(/^https?:\/\/[^/]*/i, '').split('#')[0] ?? ''
    return path.startsWith('/') ? path : `/${path}`
  }))]
}

/** Whether an address says by which scheme it is read. */
export const hasScheme = (written: string): boolean => /^https?:\/\//i.test(written.trim())

/** The address to request; people omit the scheme. */
export const addressOf = (written: string): string => hasScheme(written) ? written.trim() : `https://${written.trim()}`

/** The path of a page within its site, decoded for display. */
export function pathOf (address: string): string {
  const { pathname = address, search = '' } = URL.parse(address) ?? {}
  const path = pathname + search
  try {
    // Decodes letters only: other decoded characters could act as wildcards.
    return path.replace(/(?:%[89A-F][0-9A-F])+/gi, decodeURIComponent)
  } catch {
    return path
  }
}

/** The pattern for this page; if its path is too long, a prefix pattern. */
export function patternOf (address: string): string {
  const pattern = pathOf(address).replaceAll('*', '%2A')
  return pattern.length > LONGEST_PATTERN ? `${pattern.slice(0, LONGEST_PATTERN - 1).replace(/%.?$/, '')}*` : pattern
}
