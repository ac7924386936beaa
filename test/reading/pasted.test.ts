import t from 'tap'
import { respond } from '../../src/reading/child.ts'
import { isEvidentlyMarkdown } from '../../src/reading/formats/markup/evident.ts'
import { readText } from '../../src/reading/formats/text.ts'
import { build, draft } from '../helper.ts'
import { longestTurn } from '../linear/turns.ts'

const MARKDOWN = [
  '# Returns\n\nReturns within 30 days.\n\n## Shipping\nThree days.',
  '## A\nText is here.\n\n## B\nMore.',
  '# Our shop\n\n- open daily\n- closed on Monday\n',
  '# Opening hours\n\nSee [our page](https://example.com/hours).\n\n- closed on Monday',
  '# Versand\n\nWir liefern in drei Tagen.\n\n# Rückgabe\n\nSie haben 30 Tage Zeit.',
  '# 営業時間\n\n毎日開いています。\n\n## 返品\n\n三十日以内。'
]
const NONE: Record<string, string> = {
  'a script': '# install\nnpm install\n\n# run\nnpm start --port 3',
  'a script that says what runs it': '#!/bin/sh\n## a\n\n## b\n',
  'a program': 'import os\n\n# Read the file and print it.\nprint(open("a").read())\n\n# Then close it all.\nsys.exit(0)\n',
  settings: '# settings\nhost: a\nport: 80\n\n# others\nuser: x\n',
  'comments of several lines': '# This is a comment\n# that goes on\nkey=1\n\n# another\n# one\nkey2=2',
  hashtags: 'We sell #lamps and #shades.\n#sale today\n\n#summer is here',
  'a table': '# name,price\nLamp,20\nShade,30',
  'a list without headings': 'What we sell:\n- lamps\n- shades',
  'a single heading': '# Number one\nThe best shop there is.',
  C: '#include <a.h>\n\n#define X\n',
  numbers: 'Order # 12 is here.\n# 13 too',
  'headings in code': 'How to begin:\n\n```\n# one\n\n## two\n```\nThat is all.',
  nothing: ''
}

t.test('what is evidently Markdown is told from what only looks like it', async (t) => {
  for (const text of MARKDOWN) t.ok(isEvidentlyMarkdown(text), text)
  for (const [what, text] of Object.entries(NONE)) t.notOk(isEvidentlyMarkdown(text), what)
})

t.test('it is told in time that grows with what is looked at alone', async (t) => {
  const lines = ['# a b\n'.repeat(2e5), '#'.repeat(2e6), '#' + ' '.repeat(2e6), '- '.repeat(1e6)]
  for (const text of [...lines, 'a=. '.repeat(5e5), '](http'.repeat(3e5)]) {
    t.ok(await longestTurn(1000, async () => isEvidentlyMarkdown(text)) <= 1000, text.slice(0, 8))
  }
})

// Was wrong: headings of pasted text were read as text, and what is below them was found by its own words alone.
t.test('a passage of a pasted text is found by the heading above it, and the text stays as it was sent', async (t) => {
  const { user, settled } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', draft)).json().data
  const text = '# Our shop\n\nWelcome to us.\n\n## Giftwrapping\n\nIt costs **two** euros.\n\n## Parking\n\nBehind the house.\n'
  const { data: [source] } = (await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: text })).json()
  await settled()
  const { data } = (await me.post(`/v1/agents/${id}/search`, { query: 'giftwrapping' })).json()
  t.match(data.results?.[0] ?? data[0], { heading: 'Our shop › Giftwrapping' })
  t.equal((await me.get(`/v1/agents/${id}/knowledge_sources/${source.id}/text`)).body, text)
})

t.test('pasted Markdown is read as such; what says nothing without its marks is read as it stands', async (t) => {
  const formatOf = async (text: string) => {
    const task = { kind: 'learn', title: null, name: '', isText: true }
    const { value } = await respond(Buffer.from(`${JSON.stringify(task)}\n${text}`)).next()
    return value.about.format
  }
  t.equal(await formatOf('# Our shop\n\n## Parking\n\nBehind the **house**.\n'), 'markdown')
  const marks = '## [](a)\n\n## [](b)\n'
  t.ok(isEvidentlyMarkdown(marks))
  t.equal(await formatOf(marks), 'text')
})

// Was wrong: a table within pasted text was quoted whole, with its pipes and dashes, for whatever was asked of it.
t.test('a table that is drawn with pipes is answered from by the row, wherever it stands in a text', async (t) => {
  const { user, settled } = await build(t)
  const me = await user()
  const table = '| Service | Price |\n|:--|--:|\n| **Haircut** | 45 € |\n| Colouring | 70 € |'
  const inAList = table.split('\n').map((line) => `  ${line}`).join('\n')
  for (const text of [
    `Our prices:\n${table}\nWe are happy to help.`,
    table.replaceAll(/^\| | \|$/gm, ''),
    `# Salon\n\n## Prices\n\n- All of them:\n\n${inAList}\n`
  ]) {
    const { id } = (await me.post('/v1/agents', draft)).json().data
    await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: text })
    await settled()
    const { data: { id: conversation } } = (await me.post(`/v1/agents/${id}/conversations`, {})).json()
    const { data } = (await me.post(`/v1/conversations/${conversation}/messages`, { text: 'How much is colouring?' })).json()
    t.match(data.text, /Colouring: Price 70 € \[1\]/, text)
    t.notMatch(data.text, /\||--|45/, text)
  }
})

t.test('lines with pipes and dashes that draw no table stay as they are, however many there are', async (t) => {
  const plain = ['Mon | Tue\nopen | closed', 'a | b\n---', '| a |\n|---|---|\n| b |']
  for (const text of plain) t.same(readText(text).blocks.map((block) => block.text), [text])
  for (const text of ['|-'.repeat(1e6), 'a|b\n-|-\n'.repeat(2e5), '| '.repeat(1e6), 'a|b\n'.repeat(4e5)]) {
    t.ok(await longestTurn(1000, async () => readText(text)) <= 1000, text.slice(0, 8))
  }
})
