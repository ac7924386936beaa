/** A question as customers ask it, and what to answer. */
export interface Pair { question: string, answer: string }

/** Pairs written without a pause. */
const PAIRS_AT_ONCE = 200

/** The same as `textOfPairs`; stops between some of the pairs. */
export function * writtenPairs (pairs: readonly Pair[]): Generator<void, string> {
  const pieces: string[] = []
  for (let at = 0; at < pairs.length; at += PAIRS_AT_ONCE) {
    pieces.push(textOfPairs(pairs.slice(at, at + PAIRS_AT_ONCE)))
    yield
  }
  return pieces.join('\n\n')
}

/** Pairs as one text: each a line with its question and the lines of its answer, an empty line between pairs. */
export function textOfPairs (pairs: readonly Pair[]): string {
  return pairs
    .map(
      ({ question, answer }) => `${question.trim().replace(/\s+/g, ' ')}\n${answer.trim().replace(/\n\s*\n/g, '\n')}`
    )
    .join('\n\n')
}

/** What columns of questions and answers are called. */
const QUESTIONS = heads([
  'questions? q fragen? preguntas? domand[ae] perguntas? vra(?:ag|gen) pytani[ae] fr[åa]g(?:a|or) sp[øo]rgsm[åa]l',
  'spørsmål ot[áa]zk[ay] вопросы? питання soru(?:lar)? k[ée]rd[ée]s(?:ek)? [îi]ntreb[ăa]r[ei] 質問 问题 問題 질문'
])
const ANSWERS = heads([
  'answers? a antwort(?:en)? respuestas? r[ée]ponses? rispost[ae] respostas? antwoord(?:en)? odpowied(?:ź|z|zi)',
  'svar odpov[ěe][ďd] odpov[ěe]di ответы? відповід[ьі] cevap(?:lar)? yan[ıi]t v[áa]lasz(?:ok)? r[ăa]spuns(?:uri)? 回答',
  '答案 答え 答复 답변'
])

function heads (names: string[]): RegExp {
  return new RegExp(`^(?:${names.join(' ').replaceAll(' ', '|')})$`, 'iu')
}

/** Whether a column's head says that it holds questions. */
export const isQuestions = (head: string): boolean => QUESTIONS.test(head.trim())

/** Whether the heads of a table's two columns say that it is a list of questions and answers. */
export function isOfPairs ([question = '', answer = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && isQuestions(question) && ANSWERS.test(answer.trim())
}
