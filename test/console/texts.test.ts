import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import { en } from '../../src/console/browser/texts/en.ts'

const FOLDER = new URL('../../src/console/browser/texts/', import.meta.url)

/** Longer texts that a language writes as English does. */
const SAME: string[] = []

/** Every text by its key: `inbox › views › all`. */
function flat (texts: object, before = ''): Map<string, string> {
  return new Map(Object.entries(texts).flatMap(([key, value]) => {
    return typeof value === 'string' ? [[`${before}${key}`, value]] : [...flat(value, `${before}${key} › `)]
  }))
}

function placeholders (text: string): string[] {
  return [...new Set(text.match(/\{+\w+\}+/g))].sort()
}

const english = flat(en)
// The list stands in code for browsers, which the compiler does not let a test import by name.
const { LANGUAGES } = await import(new URL('index.ts', FOLDER).href) as { LANGUAGES: Record<string, string> }
const files = globSync('??.ts', { cwd: FOLDER }).map((file) => basename(file, '.ts'))
const codes = files.filter((code) => code !== 'en').sort()

t.test('every language of the menu has its texts, and the menu has every language', async (t) => {
  const registered = readFileSync(new URL('index.ts', FOLDER), 'utf8').match(/(?<=import\('\.\/)\w+/g) ?? []
  t.same([...registered].sort(), codes, 'each file is loaded when its language is chosen')
  t.same(codes, Object.keys(LANGUAGES).filter((code) => code !== 'en').sort())
})

for (const code of codes) {
  t.test(`the console says everything in ${LANGUAGES[code]}`, async (t) => {
    const texts = flat((await import(new URL(`${code}.ts`, FOLDER).href))[code])
    t.same([...texts.keys()].sort(), [...english.keys()].sort(), 'no key is missing, none is left over')
    for (const [key, text] of texts) {
      const original = english.get(key) ?? ''
      if (!text.trim()) t.fail(`${key} is empty`)
      if (text !== text.trim()) t.fail(`${key} has space around it`)
      if (`${placeholders(text)}` !== `${placeholders(original)}`) t.fail(`${key} has other placeholders: ${text}`)
      const long = text.split(/\s+/).length > 3
      if (long && text === original && !SAME.includes(text)) t.fail(`${key} is left in English: ${text}`)
    }
  })
}

t.test('French has narrow spaces inside its marks, and German its own quotes', async (t) => {
  for (const [code, wrong] of [['fr', / [?!;:»]|« |["“”]/], ['de', /["”«»]/]] as const) {
    const texts = flat((await import(new URL(`${code}.ts`, FOLDER).href))[code])
    t.same([...texts].filter(([, text]) => wrong.test(text)), [], code)
  }
})
