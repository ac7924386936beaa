import { readFileSync } from 'node:fs'
import t from 'tap'
import { dataFile } from '../../src/stores.ts'
import { chunk } from '../../src/reading/chunk.ts'
import { sqlitePassages } from '../../src/search/passages.sqlite.ts'
import { build } from '../helper.ts'
import { agentOf, form, trainAll } from './parts.ts'

/** Pseudo-random numbers from 0 to 1, the same every time. */
function seeded (seed: number) {
  return () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return seed / 0x7fffffff
  }
}

t.test('deleted and replaced words are nowhere in the bytes of the file, whatever was added and deleted around them', async (t) => {
  // Was wrong: a title that nobody had given kept the first line of a text that was replaced. Seen red with that line kept as the title.
  const directory = t.testdir({})
  const built = await build(t, {}, { directory })
  const user = await built.user()
  const agents = [await agentOf(user), await agentOf(user)]
  const random = seeded(7)
  let made = 0
  const words = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, () => `quagga${(made++).toString(36).padStart(5, '0')}zq`)
  const kept: Array<{ agent: typeof agents[number], id: number, words: string[], isFile: boolean }> = []
  const gone: string[] = []
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 100; i++) {
      const agent = agents[i % 2]!
      const said = words(i % 5 ? 30 : 500)
      const isFile = i % 3 === 0
      const answer = isFile
        ? await user.post(agent.sources, ...form({ name: 'file', file: 'a.md', body: `# ${said.slice(0, 2).join(' ')}\n\n${said.join(' ')}` }))
        : await user.post(agent.sources, { plain_text: said.join(' ') })
      const { data } = answer.json()
      kept.push({ agent, id: data[0].id, words: said, isFile })
    }
    await trainAll(t, built)
    for (let i = 0; i < 75; i++) {
      const [one] = kept.splice(Math.floor(random() * kept.length), 1)
      gone.push(...one!.words)
      if (i % 4 || one!.isFile) await user.delete(`${one!.agent.sources}/${one!.id}`)
      else {
        const said = words(30)
        await user.put(`${one!.agent.sources}/${one!.id}`, { plain_text: said.join(' ') })
        kept.push({ ...one!, words: said })
      }
    }
    await trainAll(t, built)
  }
  await built.close()
  const found = new Set(readFileSync(dataFile(directory), 'latin1').match(/quagga[0-9a-z]{5}zq/g))
  t.same(gone.filter((word) => found.has(word)), [], `${gone.length} deleted words are gone`)
  t.same(kept.flatMap(({ words }) => words).filter((word) => !found.has(word)), [], 'what is kept is there')
})

t.test('what is added and deleted thousands of times leaves no copy of its words in unused space', async (t) => {
  // Was wrong: copies of rows that SQLite had moved within pages, and words that FTS5 keeps as marks between its pages. Seen red with FRONT at 0
  // and nothing after a value, and with words in the place of their keys.
  const directory = t.testdir({})
  const built = await build(t, {}, { directory })
  const { db, knowledge: { blobs } } = built.stores
  const index = sqlitePassages(db.raw)
  const random = seeded(7)
  const kept: Array<{ source: number, blob: number, words: string[] }> = []
  const gone: string[] = []
  let made = 0
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 250; i++) {
      const source = round * 250 + i + 1
      const words = Array.from({ length: 1 + Math.floor(random() * (random() < 0.2 ? 300 : 20)) }, () => `quagga${(made++).toString(36).padStart(5, '0')}zq`)
      const staged = await blobs.stage()
      await staged.write(words.join(' '))
      await db.atomically(() => {
        blobs.keep(staged.id)
        index.replace({ agent: i % 3, source, language: null }, '', chunk([{ text: words.join(' '), heading: null, page: null, row: null }]))
      })
      kept.push({ source, blob: staged.id, words })
    }
    for (let i = 0; i < 180; i++) {
      const [{ source, blob, words }] = kept.splice(Math.floor(random() * kept.length), 1) as [typeof kept[number]]
      await db.atomically(() => {
        index.remove(source)
        blobs.drop(blob)
      })
      gone.push(...words)
    }
    for (let first = true; await db.atomically(() => index.merge(first)); first = false);
    while (await db.atomically(() => index.clean(() => true)));
    while (await blobs.sweep(1000));
  }
  await built.close()
  const found = new Set(readFileSync(dataFile(directory), 'latin1').match(/quagga[0-9a-z]{5}zq/g))
  t.same(gone.filter((word) => found.has(word)), [], `${gone.length} deleted words are gone`)
})
