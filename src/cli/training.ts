import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { shortened } from '../platform/errors.ts'
import type { Stores } from '../stores.ts'
import { inLine, plain, type Surroundings } from './common.ts'
import { untilDone } from './working.ts'

const BAR = 16
/** Sources whose bars are in the line; the server trains as many at once. */
const BARS = 2

interface Followed {
  around: Surroundings
  stores: Stores
  directory: string
  owner: Id
  agent: Id
  sources: KnowledgeSourceRecord[]
}

/**
 * Waits until sources, and the pages they lead to, are trained or have failed, telling how far they are, and returns
 * them as they are then. A running server trains them; without one, or when it stops meanwhile, this process does.
 */
export async function followTraining ({
  around, stores, directory, owner, agent, sources
}: Followed): Promise<KnowledgeSourceRecord[]> {
  const { store } = stores.knowledge
  const told = new Map<Id, string>()
  let all: KnowledgeSourceRecord[] = []
  await untilDone({ around, stores, directory }, async () => {
    all = await withPages()
    tellChanges(around, told, all)
    const areSettled = all.every(isSettled)
    if (!areSettled) around.progress?.(await barsOf(all))
    return areSettled
  })
  return all

  /** The sources and their pages; without what somebody deleted meanwhile. */
  async function withPages () {
    const all: KnowledgeSourceRecord[] = []
    for (const { id, type } of sources) {
      const kept = await store.get(owner, agent, id)
      if (kept) all.push(kept)
      if (type !== 'text') {
        all.push(...((await store.list(owner, agent, { parent: id }, 0, Number.MAX_SAFE_INTEGER))?.items ?? []))
      }
    }
    return all
  }

  async function barsOf (all: KnowledgeSourceRecord[]): Promise<string> {
    const bars = all
      .filter(({ training_status: status }) => status === 'Processing')
      .slice(0, BARS)
      .map(async ({ id, title }) => `${short(title)} ${bar(await store.progress(owner, agent, id))}`)
    return [`${all.filter(isSettled).length} of ${all.length}`, ...(await Promise.all(bars))].join('  ')
  }
}

const isSettled = ({ training_status: status }: KnowledgeSourceRecord) => status === 'Success' || status === 'Failed'

/** A line for each source that has ended, and for each that will be tried again, saying why. */
function tellChanges ({ note, progress }: Surroundings, told: Map<Id, string>, sources: KnowledgeSourceRecord[]) {
  for (const source of sources) {
    const { id, title, error, training_status: status, total_training_usage_bytes: bytes } = source
    if (!isSettled(source) && !error) continue
    const again = isSettled(source) ? '' : ' It is tried again.'
    const sentence = error
      ? `${inLine(title)}: ${error.code}. ${error.message}${again}`
      : `${inLine(title)}: ${status}, ${bytes} bytes of text`
    if (told.get(id) === sentence) continue
    told.set(id, sentence)
    progress?.('')
    note(sentence)
  }
}

function short (title: string): string {
  return shortened(plain(title), 20)
}

/** `########········ 50 %`; before the first passage is written it is being read. */
function bar (done: number): string {
  if (done === 0) return 'being read'
  const full = Math.round(done * BAR)
  return `${'#'.repeat(full)}${'·'.repeat(BAR - full)} ${Math.floor(done * 100)} %`
}
