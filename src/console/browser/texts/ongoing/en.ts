/** What the figures say beside the console's other texts, by the page that this comes with. */
export const en = {
  openNow: 'Waiting for a person or talking to one now: {n}'
}

/** What every language says. */
export type FigureTexts = typeof en
