import type { FigureTexts } from './en.ts'

export const fr: FigureTexts = {
  openNow: 'En attente d’un conseiller ou en échange avec lui : {n}'
}
