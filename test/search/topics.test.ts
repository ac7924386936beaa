import t from 'tap'
import { topicsNear } from '../../src/search/own/topic.ts'
import { topicsOf } from '../../src/search/own/topics.sqlite.ts'
import { build } from '../helper.ts'

// Was wrong: "About us" and "Unser Tag" were offered, and whoever pressed them was told that nothing answers it: they
// are made of words of asking and ordinary talk only, which nothing is found by.

t.test('no topic is offered that has no word to look for', async (t) => {
  const under = (heading: string, language: 'de' | 'en') => ({ heading, text: 'We are two sisters.', language })
  t.strictSame(topicsNear([under('About us', 'en'), under('Parking', 'en')], []), ['Parking'])
  t.strictSame(topicsNear([under('Schule › So findet ihr uns', 'de'), under('Unser Tag', 'de'), under('Wo sind wir?', 'de')], []),
    ['Wo sind wir?'], 'where a place is, is asked without such a word')
  t.strictSame(topicsOf([['About us', 'Opening hours']], 'en'), ['Opening hours'])
})

t.test('what is offered is answered when it is pressed', async (t) => {
  const app = await build(t)
  const me = await app.user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  const page = `# Meadow School

## About us
We are a small school with sixty pupils and four teachers.

## Our day
We begin at half past eight with a song, and end at three with a story in the garden.

## Lost property
We keep what was found in a box beside the kitchen until the end of term.

## Lunch
Lunch costs £3 and is cooked here by Tom, who knows about allergies.`
  await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: page })
  await app.settled()
  const ask = async (text: string) => {
    const { id: conversation } = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data
    return (await me.post(`/v1/conversations/${conversation}/messages`, { text })).json().data
  }
  let pressed = 0
  for (const question of ['Do you have a school bus to Leeds?', 'are there swimming lessons for pupils', 'who feeds the rabbits in the garden', 'school uniform']) {
    for (const topic of (await ask(question)).suggestions as string[]) {
      pressed++
      t.ok((await ask(topic)).citations.length > 0, topic)
    }
  }
  t.ok(pressed > 0)
})
