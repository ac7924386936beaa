import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type RuleTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What the page of guard rules says, in the language that was chosen. */
export const ruleTexts = (): RuleTexts => inLanguage({ en, de, es, fr, pt })
