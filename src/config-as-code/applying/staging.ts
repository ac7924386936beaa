import type { Crawl } from '../../../schema/knowledge.ts'
import { discardAll, newSource, stageBytes, stageText, type NewSource } from '../../sources/index.ts'
import type { Form } from '../contract.ts'
import type { ConfigParts } from '../current.ts'
import { located, trainsOf, type Step } from '../plan.ts'
import { crawlIn } from './steps.ts'

/** The form of a source. */
type SourceForm = Form & Partial<Crawl> & Pick<NewSource, 'type' | 'title' | 'urls'> & {
  selected: boolean, drive?: string, name?: string
}

/** Stages the content of sources, so that the transaction waits for nothing. */
export async function staged (
  { knowledge: { blobs } }: ConfigParts, steps: readonly Step[]
): Promise<Map<string, NewSource>> {
  const sources = new Map<string, NewSource>()
  try {
    for (const step of steps) {
      const { place, next, content, given } = step
      if (trainsOf(step) === undefined || (step.current && !step.isReplaced && content === undefined)) continue
      const { title, selected, urls, drive, type, name, ...more } = next as SourceForm
      const said = { ...(title !== undefined && { title }), is_selected: selected }
      if (urls ?? drive) {
        try {
          const from = urls ? { urls, ...crawlIn(more) } : { google_drive_file_id: drive! }
          sources.set(place, await newSource(blobs, { ...said, ...from }))
        } catch (error) {
          throw located(given!, error)
        }
      } else {
        // Files say what a text is made of, whatever else they leave out.
        const bytes = content!
        sources.set(place, {
          ...said,
          type,
          title: title ?? titleFor(type, name, given!.key),
          ...(name === undefined
            ? { text: await stageText(blobs, bytes.toString()) }
            : { file: await stageBytes(blobs, bytes, name) })
        })
      }
    }
    return sources
  } catch (error) {
    await discardAll(blobs, [...sources.values()])
    throw error
  }
}

/** The title of a source without one in files: for a text its first line. */
const titleFor = (type: string, name: string | undefined, key: string) => name ?? (type === 'text' ? '' : key)
