import { readConfig } from '../../../src/config.ts'
import { askAll, auroc, readSquad, shareFrom } from './squad.ts'

const USAGE = `npm run bench:answers -- FILE

  FILE  a collection in SQuAD's form: questions about paragraphs, each with where it is answered, or that it is not

Each paragraph is a source of one agent, and each question is answered from the sources alone, as without a language model.
On topic, but absent: the paragraph that answers is taken out, or it does not say it (SQuAD 2.0). Off topic: its whole article is.`

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.log(USAGE)
} else {
  const { known, absent, impossible, foreign } = await askAll(readSquad(file))
  const { ANSWER_SURE: sure, ANSWER_MAYBE: maybe } = readConfig({})
  const confidences = known.map(({ confidence }) => confidence)
  const share = (part: number) => part.toFixed(3)
  say('questions with an answer', `${known.length}`)
  say(
    'the answer is in the words quoted (two sentences of one passage)',
    share(known.filter(({ isAnswered }) => isAnswered).length / known.length)
  )
  say(
    `of these questions quoted (from ${sure}), offered too (from ${maybe})`,
    `${share(shareFrom(sure, confidences))}, ${share(shareFrom(maybe, confidences))}`
  )
  const sureAnd = (is: boolean) =>
    known.filter(({ confidence, isAnswered }) => confidence >= sure && isAnswered === is).length / known.length
  say(`sure (from ${sure}) and right, sure without it`, `${share(sureAnd(true))}, ${share(sureAnd(false))}`)
  for (const [what, unknown] of [
    ['off topic', foreign], ['on topic, but absent', absent], ['on topic, not said (SQuAD 2.0)', impossible]
  ] as const) {
    if (unknown.length === 0) continue
    say(
      `${what}: ${unknown.length} questions`,
      `AUROC ${share(auroc(confidences, unknown))}; answered falsely ${share(shareFrom(sure, unknown))}, offered too ${share(shareFrom(maybe, unknown))}`
    )
  }
}

function say (what: string, figures: string): void {
  console.log(`${what.padEnd(76)}${figures}`)
}
