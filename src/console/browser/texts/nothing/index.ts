import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type NothingTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What an empty tab says, in the language that was chosen. */
export const nothingTexts = (): NothingTexts => inLanguage({ en, de, es, fr, pt })
