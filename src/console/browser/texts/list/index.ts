import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type ListTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What the list of the inbox says, in the language that was chosen; it comes with the page. */
export const listTexts = (): ListTexts => inLanguage({ en, de, es, fr, pt })
