import { inLanguage } from '../index.ts'
import { de } from './de.ts'
import { en, type AuditTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** What the audit log says of itself, in the language that was chosen. */
export const auditTexts = (): AuditTexts => inLanguage({ en, de, es, fr, pt })
