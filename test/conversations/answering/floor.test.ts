import path from 'node:path'
import t from 'tap'
import { askAll, auroc, readSquad, shareFrom } from '../../../scripts/bench/quality/squad.ts'
import { readConfig } from '../../../src/config.ts'

const FILE = path.join(import.meta.dirname, '../../fixtures/answers.json')

t.test('on a shop\'s texts of our own most questions are answered by the words quoted first, and few that are not answered there', async (t) => {
  const { known, absent, impossible, foreign } = await askAll(readSquad(FILE))
  const { ANSWER_SURE: sure, ANSWER_MAYBE: maybe } = readConfig({})
  const confidences = known.map(({ confidence }) => confidence)
  const atLeast = (figure: number, floor: number, what: string) =>
    t.ok(figure >= floor, `${what}: ${figure.toFixed(3)}, at least ${floor}`)
  const atMost = (figure: number, ceiling: number, what: string) =>
    t.ok(figure <= ceiling, `${what}: ${figure.toFixed(3)}, at most ${ceiling}`)
  atLeast(known.filter(({ isAnswered }) => isAnswered).length / known.length, 0.9, 'answered')
  atLeast(shareFrom(sure, confidences), 0.95, 'quoted')
  atLeast(shareFrom(maybe, confidences), 0.99, 'quoted or offered')
  atLeast(auroc(confidences, foreign), 0.985, 'off topic is told from known')
  atLeast(auroc(confidences, [...absent, ...impossible]), 0.96, 'on topic but absent is told from known')
  // Was wrong with a constant idf: a question's common words counted as much as its distinctive ones.
  atMost(shareFrom(sure, foreign), 0.05, 'answered falsely, off topic')
  atMost(shareFrom(sure, [...absent, ...impossible]), 0.15, 'answered falsely, on topic')
})

t.test('places of a collection count characters; its shares and chances are what they say', async (t) => {
  const directory = t.testdir({
    'a.json': JSON.stringify({
      data: [
        {
          paragraphs: [
            {
              context: '🙂 We open at nine.',
              qas: [{ question: 'When?', answers: [{ text: 'nine', answer_start: 13 }] }]
            }
          ]
        }
      ]
    })
  })
  t.strictSame(readSquad(path.join(directory, 'a.json')), [
    {
      article: 0,
      title: '',
      text: '🙂 We open at nine.',
      questions: [{ text: 'When?', answers: [{ start: 14, end: 18 }] }]
    }
  ])
  t.equal(auroc([3, 2], [1, 2]), 0.875)
  t.equal(shareFrom(2, [1, 2, 3, 4]), 0.75)
})
