import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { build } from '../../../test/helper.ts'
import { form } from '../../../test/sources/parts.ts'

/** A question with what a right answer holds (a regular expression), or null where nobody can know it. */
export type Row = [question: string, expected: string | null | false, ...more: string[]]

/** Files of a place that are no pages of it. */
const ASKED = /(?:questions|cross|other)\.json$/

/** The production app in a directory of its own, with a user, until `close`. */
export async function openApp () {
  const teardowns: (() => unknown)[] = []
  const t = {
    teardown: (work: () => unknown) => teardowns.push(work),
    fail: (message: string, { error }: { error: unknown }) => console.error(message, error)
  } as unknown as Test
  const directory = mkdtempSync(path.join(tmpdir(), 'places-'))
  const app = await build(t, {}, { directory })
  const me = await app.user()
  const close = async () => {
    for (const work of teardowns) await work()
    rmSync(directory, { recursive: true })
  }
  return { app, me, directory, close }
}

/**
 * An agent that learnt the pages and files of a place. `isTaught`: which of them, by their names; `isPasted`: plain
 * text and Markdown are sent as a text.
 */
export async function taught (
  { app, me }: Pick<Awaited<ReturnType<typeof openApp>>, 'app' | 'me'>, place: string,
  { isTaught = () => true, isPasted = false }: { isTaught?: (page: string) => boolean, isPasted?: boolean } = {}
): Promise<number> {
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  for (const file of readdirSync(place)) {
    if (ASKED.test(file) || !isTaught(file.replace(/\.\w+$/, ''))) continue
    const body = readFileSync(path.join(place, file))
    const sent = isPasted && /\.(?:md|txt)$/.test(file)
      ? [{ plain_text: body.toString() }] as const
      : form({ name: 'file', file, body })
    const { statusCode, body: said } = await me.post(`/v1/agents/${id}/knowledge_sources`, ...sent)
    if (statusCode >= 300) throw new Error(said)
  }
  await app.settled()
  return id as number
}

/** The questions of a place in a file beside its pages; none where there is no such file. */
export function rowsIn (place: string, file: 'questions.json' | 'other.json'): Row[] {
  return readdirSync(place).includes(file) ? JSON.parse(readFileSync(path.join(place, file), 'utf8')) : []
}

/** Questions to some of its pages only, each as their names, joined by a bar, and what is asked. */
export function crossIn (place: string): [pages: string, rows: Row[]][] {
  if (!readdirSync(place).includes('cross.json')) return []
  return Object.entries(JSON.parse(readFileSync(path.join(place, 'cross.json'), 'utf8')))
}
