import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type SiteTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What is said about the pages of a site, in the language that was chosen. */
export const siteTexts = (): SiteTexts => inLanguage({ en, de, es, fr, pt })
