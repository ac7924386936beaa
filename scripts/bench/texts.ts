import { deflateSync } from 'node:zlib'

const COMMON =
  'the of and to in is for with on that it as are this be or an by from at not you your can if we will when all more'.split(
    ' '
  )
const SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta pre tri sho thu'.split(' ')
const VOCABULARY = 30_000

/**
 * Text as a company writes it, the same for the same seed: half function words, the others distributed by Zipf's law,
 * sentences in paragraphs.
 */
export class Writer {
  #state: number

  constructor (seed: number) {
    this.#state = seed
  }

  /** From 0 to 1 (mulberry32). */
  #draw (): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32
  }

  word (): string {
    if (this.#draw() < 0.45) return COMMON[Math.floor(this.#draw() ** 2 * COMMON.length)]!
    // The frequency of the nth word is about 1/n of that of the first.
    return spelled(Math.floor(VOCABULARY ** this.#draw()))
  }

  sentence (): string {
    const words = Array.from({ length: 8 + Math.floor(this.#draw() * 12) }, () => this.word()).join(' ')
    return `${words[0]!.toUpperCase()}${words.slice(1)}.`
  }

  paragraph (): string {
    return Array.from({ length: 5 }, () => this.sentence()).join(' ')
  }

  /** ASCII text of exactly this many bytes. */
  text (bytes: number): string {
    const parts: string[] = []
    for (let length = 0; length < bytes;) {
      const part = this.paragraph()
      parts.push(part)
      length += part.length + 2
    }
    return parts.join('\n\n').slice(0, bytes)
  }

  /** What a customer asks: a few words, mostly distinctive ones. */
  query (): string {
    return Array.from({ length: 3 + Math.floor(this.#draw() * 4) }, () => this.word()).join(' ')
  }
}

function spelled (n: number): string {
  let word = ''
  for (let rest = n + 31; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

const LINES = 45

/** A PDF with this many full pages of text, its streams compressed as usual. */
export function pdfOf (pages: number): Buffer {
  const writer = new Writer(pages)
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let size = parts[0]!.length
  const add = (...content: Array<string | Buffer>) => {
    offsets.push(size)
    const object = Buffer.concat(
      [`${offsets.length} 0 obj\n`, ...content, '\nendobj\n'].map((part) => Buffer.from(part as string))
    )
    parts.push(object)
    size += object.length
  }
  const kids = Array.from({ length: pages }, (_none, i) => `${4 + i * 2} 0 R`).join(' ')
  add('<</Type/Catalog/Pages 2 0 R>>')
  add(`<</Type/Pages/Count ${pages}/Kids[${kids}]>>`)
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>')
  for (let page = 0; page < pages; page++) {
    const stream = deflateSync(
      `BT /F1 11 Tf 14 TL 50 780 Td ${Array.from({ length: LINES }, () => `(${writer.sentence().slice(0, 85)}) Tj T*`).join('\n')} ET`
    )
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + page * 2} 0 R>>`
    )
    add(`<</Length ${stream.length}/Filter/FlateDecode>>stream\n`, stream, '\nendstream')
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${entries}trailer<</Size ${offsets.length + 1}/Root 1 0 R>>\nstartxref\n${size}\n%%EOF\n`
    )
  )
  return Buffer.concat(parts)
}
