import type { Term } from '../../../../../schema/agents.ts'

/** The form values of a term; `id` distinguishes its fields from those of others, `kept` is the term as loaded. */
export interface Row { id: number, term: string, means: string, kept?: Term }

let lastRow = 0

/** A row for a new term, or for editing this one; it keeps the fields of the row it replaces. */
export function rowOf (kept?: Term, id = ++lastRow): Row {
  return { id, term: kept?.term ?? '', means: kept ? shown(kept.means) : '', ...(kept && { kept }) }
}

/** Non-empty rows. */
export const filled = (rows: readonly Row[]) => rows.filter(({ term, means }) => tidy(term + means) !== '')

/** The typed terms; unchanged ones stay as loaded. */
export function typed (rows: readonly Row[]): Term[] {
  return filled(rows).map(({ term, means, kept }) =>
    kept && tidy(term) === kept.term && means === shown(kept.means) ? kept : { term: tidy(term), means: parts(means) })
}

/** Split at commas, or at semicolons if there are any, so that a meaning may contain a comma. */
function parts (means: string): string[] {
  return means.split(/[;；؛]/.test(means) ? /[;；؛]/ : /[,،、，]/).map(tidy).filter((one) => one !== '')
}

function shown (means: readonly string[]): string {
  return means.some((one) => /[,،、，]/.test(one)) ? means.map((one) => `${one};`).join(' ') : means.join(', ')
}

const tidy = (text: string) => text.trim().replaceAll(/\s+/g, ' ')
