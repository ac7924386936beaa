import type { DrawTable } from '../draw.ts'
import { fillTable } from '../table.ts'
import css from './table.css'

const sheet = new CSSStyleSheet()
sheet.replaceSync(css)

/** Draws a table in a panel, which has no styles for one before. */
export const panelTable: DrawTable = (into, ...about) => {
  const root = into.getRootNode()
  if (root instanceof ShadowRoot && !root.adoptedStyleSheets.includes(sheet)) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  }
  fillTable(into, ...about)
}
