import { lazily } from '../../../platform/lazily.ts'
import { foldedWords } from '../../../search/words/fold.ts'
import table from './reply.json' with { type: 'json' }

/** Nobody asks only for when they are answered in a longer message. */
const [LONGEST_ASKING_REPLY, MOST_WORDS] = [160, 16]
/** Written without word spaces, or with endings that stick. */
const GLUED = new Set(['zh', 'ja', 'ko'])

/** How a language asks for a time, and for an answer: what begins so, and for the former whole words. */
const wordings = lazily(() => Object.entries(table).map(([language, { when, answers }]) => {
  const isGlued = GLUED.has(language)
  const read = (words: string, end: string) => words.split('|').map(foldedWords)
    .map((one) => isGlued ? one : ` ${one}${end}`)
  return { when: read(when, ' '), answers: read(answers, '') }
}))

/**
 * Whether a message asks when people answer. Of a conversation that was not passed on to any it says little: it may be
 * about anything that is answered.
 */
export function asksForReply (message: string): boolean {
  if (message.length > LONGEST_ASKING_REPLY) return false
  const said = ` ${foldedWords(message)} `
  if (said.split(' ').length > MOST_WORDS + 2) return false
  const has = (some: readonly string[]) => some.some((one) => said.includes(one))
  return wordings().some(({ when, answers }) => has(when) && has(answers))
}
