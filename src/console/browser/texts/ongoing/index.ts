import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type FigureTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What the figures say, in the language that was chosen. */
export const figureTexts = (): FigureTexts => inLanguage({ en, de, es, fr, pt })
