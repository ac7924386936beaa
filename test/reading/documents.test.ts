import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { textOf, type Document } from '../../src/reading/document.ts'
import { FORMATS } from '../../src/reading/formats.ts'
import { extract } from '../../src/reading/extract.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/documents')

/**
 * Words as search sees them: letters and digits between anything else; where a language writes no spaces, single
 * letters. Compatibility forms are folded, for PDFs contain ligatures and presentation forms.
 */
function words (text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replace(/[\uFE0E\uFE0F]/g, '')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu) ??
    []
  )
}

/** How many of `wanted` appear in `found` in the same order: the longest common subsequence. */
function inOrder (wanted: string[], found: string[]): number {
  // A common prefix is part of it, as is a common suffix; that is nearly all of a document that is read correctly.
  const most = Math.min(wanted.length, found.length)
  let begun = 0
  while (begun < most && wanted[begun] === found[begun]) begun++
  let ended = 0
  while (ended < most - begun && wanted.at(-1 - ended) === found.at(-1 - ended)) ended++
  const between = found.slice(begun, found.length - ended)
  let row = new Uint32Array(between.length + 1)
  for (const word of wanted.slice(begun, wanted.length - ended)) {
    const next = new Uint32Array(between.length + 1)
    for (let i = 0; i < between.length; i++) {
      next[i + 1] = word === between[i] ? row[i]! + 1 : Math.max(row[i + 1]!, next[i]!)
    }
    row = next
  }
  return begun + row[between.length]! + ended
}

/** The two shares that must reach 99 %: reference words found in order, and our words that are in the reference. */
function likeness (document: Document, reference: string) {
  const wanted = words(reference)
  const found = words(textOf(document))
  const known = new Set(wanted)
  const foreign = found.filter((word) => !known.has(word))
  const kept = inOrder(wanted, found)
  return { complete: kept / wanted.length, honest: 1 - foreign.length / found.length, foreign: foreign.slice(0, 10) }
}

/** Kinds whose documents other tests create. */
const ELSEWHERE = ['xml', 'eml', 'msg', 'srt', 'vtt']

for (const format of Object.keys(FORMATS).filter((format) => !ELSEWHERE.includes(format))) {
  const folder = join(FIXTURES, format)
  const files = readdirSync(folder).filter((name) => !name.includes('.ref.'))

  t.test(`ten ${format} files by other programs read like their references`, async (t) => {
    t.equal(files.length, 10)
    for (const name of files) {
      const base = join(folder, name.slice(0, 2))
      const expected = JSON.parse(readFileSync(`${base}.ref.json`, 'utf8'))
      const document = await extract(readFileSync(join(folder, name)), { name })
      t.match(document, expected, `${format}/${name}: metadata`)
      const { complete, honest, foreign } = likeness(document, readFileSync(`${base}.ref.txt`, 'utf8'))
      t.ok(complete >= 0.99, `${format}/${name}: ${(complete * 100).toFixed(1)} % of the reference's words, in order`)
      t.ok(
        honest >= 0.99,
        `${format}/${name}: ${(honest * 100).toFixed(1)} % of our words are the reference's; not: ${foreign}`
      )
    }
  })

  t.test(`${format} is recognised without its name`, async (t) => {
    for (const name of files) t.equal((await extract(readFileSync(join(folder, name)))).format, format, name)
  })
}
