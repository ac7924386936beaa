const HEADER = /^([!-9;-~]+):[^\n]*\n(?:[ \t][^\n]*\n)*/
/** Headers that every message has some of, and hardly any other text begins with. */
const OF_MAIL = /^(?:from|date|subject|message-id|mime-version|received|return-path|delivered-to)$/i

/** Whether a file begins like a message: with headers, among them who sent it and another that messages have. */
export function isMail (head: string): boolean {
  let rest = head.replace(/^\uFEFF|^\xEF\xBB\xBF/, '').replace(/\r\n?/g, '\n').replace(/^From [^\n]*\n/, '')
  const names = new Set<string>()
  for (let header = HEADER.exec(rest); header; header = HEADER.exec(rest)) {
    if (OF_MAIL.test(header[1] ?? '')) names.add((header[1] ?? '').toLowerCase())
    rest = rest.slice(header[0].length)
  }
  return names.has('from') && names.size >= 3
}
