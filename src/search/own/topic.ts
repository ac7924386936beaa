import { analyse } from '../sense/question.ts'
import type { Language } from '../words/languages.ts'
import { queryWords } from '../words/query.ts'

/** A question that fits on a button. */
export const isQuestion = (text: string) =>
  text.length >= 8 && text.length <= 80 && /[?？؟]$/.test(text) && !/[<>@]/.test(text)

/** Words that say what is talked about, and no number of a page or name of a file. */
export const isTopic = (text: string) => /^[\p{L}\p{M}][\p{L}\p{M} '’,&-]{3,39}$/u.test(text)

/** What a heading, outermost first (`Returns › How long do I have?`), says of the passage right under it. */
export const lastOf = (heading: string) => heading.split(' › ').at(-1)!.trim()

/** A passage as it is read, and the headings above it. */
interface Under { heading: string | null, text: string, language: Language | null }

/** Topics that are offered, passages that are looked at for them, and what is too long to have been such a topic. */
const [OFFERED, LOOKED_AT, LONGEST_TOPIC] = [3, 8, 100]

/**
 * What may be asked instead of a question that nothing surely answers: the headings or questions above the passages
 * that come nearest to it, best first, as far as they fit on a button. None of what was asked already. Pure.
 */
export function topicsNear (found: readonly Under[], asked: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s?？؟!.]+/g, ' ').trim()
  const known = new Set(asked.filter(({ length }) => length <= LONGEST_TOPIC).map(plain))
  const topics: string[] = []
  for (const passage of found.slice(0, LOOKED_AT)) {
    const topic = topicOf(passage)
    if (topic === undefined || known.has(plain(topic))) continue
    known.add(plain(topic))
    if (!asksForSomething(topic, passage.language)) continue
    // A copy: a part of a string keeps all of it in memory.
    topics.push(Buffer.from(topic).toString())
    if (topics.length === OFFERED) break
  }
  return topics
}

/** Whether a topic has a word to look for: `About us`, when it is pressed, would not even find its own section. */
export function asksForSomething (topic: string, language: Language | null): boolean {
  const spoken: [Language | null, number][] = [[language, 1]]
  return analyse(topic, queryWords(topic, spoken), spoken).units.length > 0
}

/** What a passage is about: the question that it begins with, else the heading above it. */
function topicOf ({ heading, text }: Under): string | undefined {
  const first = text.slice(0, LONGEST_TOPIC).split('\n', 1)[0]!.trim()
  return [first, heading === null ? '' : lastOf(heading)].find((one) => isQuestion(one)) ??
    (heading !== null && isTopic(lastOf(heading)) ? lastOf(heading) : undefined)
}
