import type { Term } from '../../../../../schema/agents.ts'

/** A term as it is typed; `id` keeps its fields apart from those of others, `kept` is what it was read as. */
export interface Row { id: number, term: string, means: string, kept?: Term }

let lastRow = 0

/** A row to type a term into, or to change this one in; it keeps the fields of the row that it replaces. */
export function rowOf (kept?: Term, id = ++lastRow): Row {
  return { id, term: kept?.term ?? '', means: kept ? shown(kept.means) : '', ...(kept && { kept }) }
}

/** Rows that hold anything. */
export const filled = (rows: readonly Row[]) => rows.filter(({ term, means }) => tidy(term + means) !== '')

/** The terms that were typed; what nobody changed stays as it was read. */
export function typed (rows: readonly Row[]): Term[] {
  return filled(rows).map(({ term, means, kept }) =>
    kept && tidy(term) === kept.term && means === shown(kept.means) ? kept : { term: tidy(term), means: parts(means) })
}

/** Between commas; between semicolons where there are any, so that a meaning may hold a comma. */
function parts (means: string): string[] {
  return means.split(/[;；؛]/.test(means) ? /[;；؛]/ : /[,،、，]/).map(tidy).filter((one) => one !== '')
}

function shown (means: readonly string[]): string {
  return means.some((one) => /[,،、，]/.test(one)) ? means.map((one) => `${one};`).join(' ') : means.join(', ')
}

const tidy = (text: string) => text.trim().replaceAll(/\s+/g, ' ')
