import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { IMPORT_REASONS, type ImportReason } from '../../schema/import-reasons.ts'
import { reasons as de } from '../../src/console/browser/pages/bring/reasons/de.ts'
import { reasons as es } from '../../src/console/browser/pages/bring/reasons/es.ts'
import { reasons as fr } from '../../src/console/browser/pages/bring/reasons/fr.ts'
import { reasons as pt } from '../../src/console/browser/pages/bring/reasons/pt.ts'
import { reasonOf } from '../../src/imports/reasons.ts'

const source = path.join(import.meta.dirname, '../../src/imports')
const codes = Object.keys(IMPORT_REASONS) as ImportReason[]
const fill = (text: string, values: Record<string, string>) => text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name]!)
const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted()

/** An agent's initial instructions, and why nothing is read at all. */
const OTHERS = /^(?:You help customers|The archive holds archives|This is not a known export)/

// Was wrong: a sentence that was changed in a reader alone.
t.test('every sentence that a reader may say has a code', async (t) => {
  const files = ['ledger.ts', 'fields.ts', 'files.ts', 'plan.ts', ...readdirSync(path.join(source, 'kinds')).map((name) => `kinds/${name}`)]
  let found = 0
  for (const file of files) {
    const text = readFileSync(path.join(source, file), 'utf8').replace(/\/\*[^]*?\*\//g, '').replace(/\/\/.*/g, '')
    for (const [, plain, filled] of text.matchAll(/'((?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*\.)'|`([^`\n]* [^`\n]*\.)`/g)) {
      const sentence = (plain ?? filled!).replaceAll("\\'", "'").replace(/\$\{LEFT\.Tool\}/, 'The JavaScript of tools is not run here. Have a person answer what needs one.')
        .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x')
      if (OTHERS.test(sentence)) continue
      found++
      t.ok(reasonOf(sentence), `${file}: ${sentence}`)
    }
  }
  t.ok(found > 90, `${found}`)
})

t.test('what is said by a code is the sentence, whatever is put in', async () => {
  const value = fc.string({ maxLength: 20 })
  const names = fc.dictionary(fc.constantFrom('name', 'n'), value)
  const given = [fc.constantFrom(...codes), fc.nat(4), names, value] as const
  fc.assert(fc.property(...given, (code, n, some, rest) => {
    const sentences = IMPORT_REASONS[code] as readonly string[]
    const template = sentences[n % sentences.length]!
    const said = fill(template, new Proxy(some, { get: (of, name: string) => of[name] ?? rest }))
    const reason = reasonOf(said)
    if (reason == null) return false
    const known: readonly string[] = IMPORT_REASONS[reason.code]
    return known.some((one) => fill(one, reason.values) === said)
  }))
})

t.test('in every language each is said, with the same put in, and nothing is left in English', async (t) => {
  for (const [language, said] of Object.entries({ de, es, fr, pt })) {
    t.strictSame(Object.keys(said), codes, language)
    for (const code of codes) {
      const [english] = IMPORT_REASONS[code]
      if (code !== 'how_kept') t.strictSame(namesIn(said[code]), namesIn(english), `${language}: ${code}`)
      t.not(said[code], english)
      if (language === 'fr') t.notMatch(said[code], /(?<!\u202f)[:?!;]|«(?!\u202f)/, code)
    }
  }
  t.equal(reasonOf(undefined), null)
  t.equal(reasonOf('Something else.'), null)
})
