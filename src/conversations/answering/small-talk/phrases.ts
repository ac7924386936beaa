import { textsInAll } from '../../../locales/list.ts'

const NOTICES = new Set<string>(textsInAll('agent').map(({ isAi }) => isAi))

const HELPS: readonly string[] = textsInAll('agent').map(({ mayHelp }) => mayHelp)

/** Whether an answer only offers what may help, in any language. */
export function saysMayHelp (text: string): boolean {
  const said = withoutNotice(text)
  return HELPS.some((phrase) => said.startsWith(phrase))
}

/** An answer without the notice at the start of the first one, in any language. */
export function withoutNotice (text: string): string {
  const [first = ''] = text.split('\n\n', 1)
  return NOTICES.has(first) ? text.slice(first.length + 2) : text
}
