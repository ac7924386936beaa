import { Parser } from 'htmlparser2'
import { format, isDateFormat, isPercentFormat } from 'numfmt'
import { decode } from '../../decode.ts'
import { local } from './hidden.ts'
import { find, parseXml } from '../xml.ts'

/** What a sheet shows in place of its numbers, by row and column, from 0. */
type Shown = Map<number, Map<number, string>>

/** How cells show what they hold, by the number of their style; undefined where their numbers say it all. */
type Formats = (string | undefined)[]

/** Formats from here on are the workbook's own; those below look different in each country. */
const FIRST_OF_ITS_OWN = 164
const PERCENT = new Map([[9, '0%'], [10, '0.00%']])
/** Days from 1900 to 1904, with which some workbooks begin. */
const LATER = 1462
/** The last day that a sheet knows, in the year 9999. */
const LAST_DAY = 2_958_465

/** The formats of a workbook that say more than its numbers do: dates, percent, and what is next to an amount. */
export function formatsIn (styles: Uint8Array | undefined): Formats {
  if (!styles) return []
  const root = parseXml(styles)
  const custom = new Map([...find(root, 'numFmt')].map(({ attributes }) => [
    Number(attributes.numFmtId), attributes.formatCode ?? ''
  ]))
  const [cells] = find(root, 'cellXfs')
  return [...(cells ? find(cells, 'xf') : [])].map(({ attributes }) => {
    const id = Number(attributes.numFmtId)
    const pattern = id < FIRST_OF_ITS_OWN ? PERCENT.get(id) : custom.get(id)
    return pattern !== undefined && saysMore(pattern) ? pattern : undefined
  })
}

function saysMore (pattern: string): boolean {
  return isDateFormat(pattern) || isPercentFormat(pattern) || /"[^"]*\p{L}|\p{Sc}|\[\$[^-\]]/u.test(pattern)
}

/** What a sheet shows where its formats say more than its numbers do. */
export function shownIn (sheet: Uint8Array | undefined, formats: Formats, startsIn1904: boolean): Shown {
  const shown: Shown = new Map()
  if (!sheet || formats.every((pattern) => pattern === undefined)) return shown
  let [address, value, isValue] = ['', '', false]
  let pattern: string | undefined
  const known = new Map<string, string | undefined>()
  const parser = new Parser({
    onopentag (tag, { r = '', s, t = 'n' }) {
      const name = local(tag)
      if (name === 'c') {
        address = r
        pattern = t === 'n' ? formats[Number(s)] : undefined
        value = ''
      } else if (name === 'v') isValue = pattern !== undefined
    },
    ontext (text) {
      if (isValue) value += text
    },
    onclosetag (tag) {
      if (local(tag) !== 'v') return
      isValue = false
      if (pattern === undefined) return
      const key = `${value} ${pattern}`
      if (!known.has(key)) known.set(key, textOf(Number(value), pattern, startsIn1904))
      const text = known.get(key)
      if (text === undefined) return
      const [row, column] = placeOf(address)
      shown.set(row, (shown.get(row) ?? new Map<number, string>()).set(column, text))
    }
  }, { xmlMode: true })
  parser.end(decode(sheet))
  return shown
}

/** A number as a pattern shows it: nothing where there is no such day. Nobody looks for an amount by `1,234`. */
function textOf (number: number, pattern: string, startsIn1904: boolean): string | undefined {
  if (!isDateFormat(pattern)) return tidy(format(pattern.replaceAll('#,##0', '0'), number, { throws: false }))
  const day = startsIn1904 ? number + LATER : number
  return day >= 0 && day <= LAST_DAY ? tidy(format(pattern, day, { throws: false })) : ''
}

/** Without what keeps columns straight; a pattern that cannot be read shows as hashes. */
function tidy (text: string): string | undefined {
  return /^#+$/.test(text) ? undefined : text.replace(/\s+/g, ' ').trim() || undefined
}

/** The row and the column of a cell's address, from 0: 6 and 27 of `AB7`. */
function placeOf (address: string): [row: number, column: number] {
  const letters = /^[A-Z]*/.exec(address)![0]
  const column = [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)
  return [Number(address.slice(letters.length)) - 1, column - 1]
}
