import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { shortened } from '../platform/errors.ts'
import type { Stores } from '../stores.ts'
import { inLine, plain, type CliIo } from './common.ts'
import { untilDone } from './working.ts'

const BAR = 16
/** Maximum progress bars in a line; the server trains that many sources at once. */
const BARS = 2

interface Followed {
  io: CliIo
  stores: Stores
  directory: string
  owner: Id
  agent: Id
  sources: KnowledgeSourceRecord[]
}

/**
 * Waits until sources, and the pages found through them, are trained or have failed, showing progress, and returns
 * their final state. A running server trains them; without one, or when it stops meanwhile, this process does.
 */
export async function followTraining ({
  io, stores, directory, owner, agent, sources
}: Followed): Promise<KnowledgeSourceRecord[]> {
  const { store } = stores.knowledge
  const told = new Map<Id, string>()
  let all: KnowledgeSourceRecord[] = []
  await untilDone({ io, stores, directory }, async () => {
    all = await withPages()
    tellChanges(io, told, all)
    const areSettled = all.every(isSettled)
    if (!areSettled) io.progress?.(await barsOf(all))
    return areSettled
  })
  return all

  /** The sources and their pages, without those deleted meanwhile. */
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

/** A line for each source that has ended, and for each that will be retried, with the reason. */
function tellChanges ({ note, progress }: CliIo, told: Map<Id, string>, sources: KnowledgeSourceRecord[]) {
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

/** `########········ 50 %`; before the first passage is written it is still being read. */
function bar (done: number): string {
  if (done === 0) return 'being read'
  const full = Math.round(done * BAR)
  return `${'#'.repeat(full)}${'·'.repeat(BAR - full)} ${Math.floor(done * 100)} %`
}
