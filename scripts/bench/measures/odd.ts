import { chunk } from '../../../src/reading/chunk.ts'
import { words } from '../../../src/search/words/words.ts'
import { ms, type Line } from '../report.ts'

const LETTERS = ['a', 'é', '中', 'e\u0301', '가', 'ก', '𝒳', 'क्षि']
const TEXTS = ['a', 'a.', '\n', '中', '👩‍👩‍👧‍👦', 'word. ']
const AIM_MS = 3000

/** What texts made to be slow cost: words of 100,000 letters, a megabyte of one character. */
export async function odd (): Promise<Line[]> {
  return [
    line('Cut eight words of 100,000 letters', () => {
      for (const letter of LETTERS) words(letter.repeat(100_000), 'fi')
    }),
    line('Cut six texts of a megabyte of one sign into passages', () => {
      for (const one of TEXTS) {
        chunk([{ text: one.repeat(1_000_000 / one.length), heading: null, page: null, row: null }])
      }
    })
  ]
}

function line (what: string, work: () => void): Line {
  const began = process.cpuUsage()
  work()
  const took = process.cpuUsage(began).user / 1000
  return { what, measured: ms(took), against: '–', aim: `< ${ms(AIM_MS)}`, reached: took < AIM_MS }
}
