import type { FigureTexts } from './en.ts'

export const de: FigureTexts = {
  openNow: 'Warten auf einen Menschen oder sprechen gerade mit einem: {n}'
}
