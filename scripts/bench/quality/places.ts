import { readdirSync } from 'node:fs'
import path from 'node:path'
import { textsIn } from '../../../src/locales/list.ts'
import { crossIn, openApp, rowsIn, taught, type Row } from './taught.ts'

const USAGE = `npm run bench:places -- DIRECTORY… [--say] [--pasted]

  DIRECTORY  a folder of places: each a folder with its pages and files, and questions.json: [question, what a right answer
             holds (a regular expression), or null where nobody can know it], or ["@follow", "question|expected", …] for a
             conversation; other.json: more such rows, asked in another language than the pages; cross.json asks some of the
             pages in another language: { "page|page": [question, …] }
  --say      prints every answer that is not right and sure
  --pasted   what is plain text or Markdown is sent as a text, as a person would paste it, and not as a file

The pages are uploaded to the production app, and each question is asked in a conversation of its own, without a model.`

const OUTCOMES = ['right and sure', 'right and offered', 'missed', 'wrong and offered', 'wrong and sure', 'honest', 'not honest'] as const
const HEADS = ['r+sure', 'r+offer', 'missed', 'w+offer', 'w+sure', 'honest', 'not h.']
type Outcome = typeof OUTCOMES[number]

const languages = 'en de fr es it pt nl sv da no pl cs tr ru uk ar zh ja ko'.split(' ')
const OFFERED = languages.map((language) => textsIn(language, 'agent').mayHelp)
/** Words that begin a question in only one language, as far as the places need it. */
const BEGINS = Object.entries({
  en: 'how what when where do does can is are i you who there will my may',
  de: 'wie was wann wo kann haben sind gibt brauche verkaufen ich kommen sprechen liefern',
  fr: 'comment quand où combien êtes puis avez y à peut passez',
  es: 'cuánto cuándo dónde puedo tienen cuál está hay',
  it: 'quanto quando dove',
  nl: 'hoe wat wanneer waar'
}).map(([language, words]) => [language, new Set(words.split(' '))] as const)
const begins = (question: string) => {
  const [first = ''] = question.toLowerCase().match(/\p{L}+/u) ?? []
  return BEGINS.find(([, words]) => words.has(first))?.[0]
}

const say = process.argv.includes('--say')
const isPasted = process.argv.includes('--pasted')
const directories = process.argv.slice(2).filter((one) => !one.startsWith('--'))
if (directories.length === 0) console.log(USAGE)
else {
  const opened = await openApp()
  const { me } = opened
  const all: [place: string, outcome: Outcome][] = []
  const led: boolean[] = []
  /** Whether each topic that was offered, and clicked, is answered at all. */
  const clicked: boolean[] = []

  /** Whether one of the topics offered where nothing answers leads, when clicked, to the wanted answer. */
  const isOneClickAway = async (agent: number, topics: string[], wanted: string) => {
    for (const text of topics) {
      const { id } = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data
      const { data } = (await me.post(`/v1/conversations/${id}/messages`, { text })).json()
      clicked.push(data.citations.length > 0)
      if (say && data.citations.length === 0) console.log(`topic that is not answered: ${text}`)
      if (new RegExp(wanted, 'i').test((data.text as string).replaceAll(/\s+/g, ' '))) return true
    }
    return false
  }
  const ask = async (agent: number, place: string, [question, expected, ...more]: Row, isOther?: boolean) => {
    const turns = question === '@follow' ? [expected as string, ...more].map((one) => /^([^|]*)\|(.*)$/s.exec(one)!.slice(1)) : [[question, expected]]
    const { id } = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data
    for (const [asked, wanted] of turns as [string, string | null][]) {
      const { data } = (await me.post(`/v1/conversations/${id}/messages`, { text: asked })).json()
      const answer = data as { text: string, citations: unknown[], suggestions: string[] }
      const isKnown = answer.citations.length > 0
      const isOffered = OFFERED.some((phrase) => answer.text.includes(phrase))
      const isRight = wanted ? new RegExp(wanted, 'i').test(answer.text.replaceAll(/\s+/g, ' ')) : false
      const outcome: Outcome = !wanted
        ? (!isKnown ? 'honest' : isOffered ? 'not honest' : 'wrong and sure')
        : !isKnown ? 'missed' : `${isRight ? 'right' : 'wrong'} and ${isOffered ? 'offered' : 'sure'}`
      all.push([place, outcome])
      if (outcome === 'missed') led.push(await isOneClickAway(agent, answer.suggestions, wanted!))
      const isForeign = isOther ?? (begins(asked) !== undefined && !SPOKEN(place).includes(begins(asked)!))
      if (isForeign && wanted) all.push(['in another language', outcome])
      if (say && outcome !== 'right and sure' && outcome !== 'honest') {
        console.log(`${path.basename(place)}: ${outcome}: ${asked}  (${wanted})\n   ${answer.text.replaceAll('\n', ' / ').replace(/^.*?assist\S*?\. \/ {2}\/ /i, '')}`)
      }
    }
  }
  for (const directory of directories) {
    for (const name of readdirSync(directory)) {
      const place = path.join(directory, name)
      const agent = await taught(opened, place, { isPasted })
      const others = rowsIn(place, 'other.json')
      for (const row of rowsIn(place, 'questions.json')) await ask(agent, name, row, others.length > 0 ? false : undefined)
      for (const row of others) await ask(agent, name, row, true)
      for (const [pages, rows] of crossIn(place)) {
        const isTaught = (page: string) => pages.split('|').includes(page)
        const agent = await taught(opened, place, { isTaught, isPasted })
        for (const row of rows) await ask(agent, `${name}, other language`, row)
      }
    }
  }
  const print = (name: string, outcomes: Outcome[]) => {
    const counts = OUTCOMES.map((one) => String(outcomes.filter((outcome) => outcome === one).length).padStart(8))
    console.log(name.padEnd(26) + counts.join(''))
  }
  console.log(' '.repeat(26) + HEADS.map((head) => head.padStart(8)).join(''))
  const asked = all.filter(([place]) => place !== 'in another language')
  for (const [place, outcomes] of Map.groupBy(all, ([place]) => place)) {
    print(place, outcomes.map(([, outcome]) => outcome))
  }
  print('all', asked.map(([, outcome]) => outcome))
  console.log(`Of what was missed, one of the topics offered answers ${led.filter(Boolean).length} of ${led.length}`)
  console.log(`Of the topics that were clicked, ${clicked.filter(Boolean).length} of ${clicked.length} are answered at all`)
  await opened.close()
  process.exit(0)
}

/** The language of a place's pages. */
function SPOKEN (place: string): string[] {
  const spoken: Record<string, string[]> = {
    bakery: ['de'],
    salon: ['de'],
    cinema: ['fr'],
    lessons: ['es'],
    comune: ['it'],
    kliniek: ['nl', 'en'],
    fietsen: ['nl'],
    dentista: ['pt'],
    library: ['es'],
    pottery: ['en', 'de', 'es']
  }
  return spoken[place] ?? (place.includes(',') ? [] : ['en'])
}
