import type { FigureTexts } from './en.ts'

export const pt: FigureTexts = {
  openNow: 'Aguardando uma pessoa ou em atendimento agora: {n}'
}
