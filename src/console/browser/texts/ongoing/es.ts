import type { FigureTexts } from './en.ts'

export const es: FigureTexts = {
  openNow: 'En espera o en curso ahora mismo: {n}'
}
