import { useEffect, useState } from 'preact/hooks'
import { CircleCheck, CircleOff, FolderInput, RotateCcw, Trash2, X, type LucideIcon } from 'lucide-preact'
import type { KnowledgeSource } from '../../../../../schema/knowledge.ts'
import { api, isRefused, type Refused } from '../../api.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { MoveTo, type Place } from './folders.tsx'

/** The selected sources, by id. */
export interface Choice {
  sources: ReadonlyMap<number, KnowledgeSource>
  toggle: (source: KnowledgeSource) => void
}

/** The selection in an agent's list; empty for another agent's. */
export function useChoice (agent: string): Choice & { set: (sources: Iterable<KnowledgeSource>) => void } {
  const [sources, setSources] = useState<ReadonlyMap<number, KnowledgeSource>>(new Map())
  const set = (all: Iterable<KnowledgeSource>) => setSources(new Map([...all].map((one) => [one.id, one])))
  useEffect(() => set([]), [agent])
  return {
    sources,
    set,
    toggle: (source) => set(sources.has(source.id)
      ? [...sources.values()].filter(({ id }) => id !== source.id)
      : [...sources.values(), source])
  }
}

/** Maximum number of concurrent requests. */
const REQUESTS_AT_ONCE = 4

/** Applies an operation to each; returns those that failed, and why. */
async function withEach (
  sources: Iterable<KnowledgeSource>, act: (source: KnowledgeSource) => Promise<unknown>
): Promise<[KnowledgeSource, Refused][]> {
  const waiting = [...sources]
  const failed: [KnowledgeSource, Refused][] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await act(next)
      } catch (caught) {
        if (!isRefused(caught)) throw caught
        // Already deleted ones need nothing.
        if (caught.status !== 404) failed.push([next, caught])
      }
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work))
  return failed
}

/** Applies an operation to the selection, and reports which ones failed. */
function useActs ({ sources, set }: ReturnType<typeof useChoice>, onDone: () => void) {
  const { knowledge: { bulk } } = texts.value
  const [failed, setFailed] = useState<[KnowledgeSource, Refused][]>([])
  const run = useAction(async (act: (source: KnowledgeSource) => Promise<unknown>, isEnd = false) => {
    setFailed([])
    const left = await withEach(sources.values(), act)
    const done = sources.size - left.length
    if (done > 0) toast(fill(bulk.done, { n: shownNumber(done) }))
    setFailed(left)
    // Those that still exist may be needed for the next operation.
    if (isEnd) set(left.map(([source]) => source))
    onDone()
  })
  return { run, failed }
}

/** Bulk actions on the selected sources. `listed`: further sources that can be selected. */
export function Chosen ({ route, choice, listed, places, onDone }: {
  route: string
  choice: ReturnType<typeof useChoice>
  listed: readonly KnowledgeSource[]
  places: Place[]
  onDone: () => void
}) {
  const { knowledge: { bulk, ...words }, folders } = texts.value
  const [isMoving, setMoving] = useState(false)
  const { run, failed } = useActs(choice, onDone)
  const { sources, set } = choice
  const n = shownNumber(sources.size)
  const at = ({ id }: KnowledgeSource) => `${route}/${id}`
  async function remove () {
    const title = fill(bulk.removeTitle, { n })
    const isSure = await confirm({ title, text: bulk.removeText, verb: words.removeVerb })
    if (isSure) await run.run((one) => api.delete(at(one)), true)
  }
  if (sources.size === 0) return null
  const use = (wanted: boolean) => { run.run((one) => api.put(at(one), { is_selected: wanted })) }
  const isMore = listed.some(({ id }) => !sources.has(id))
  return (
    <section class='chosen' aria-label={bulk.label} aria-busy={run.isBusy}>
      <strong role='status'>{fill(bulk.chosen, { n })}</strong>
      {isMore && (
        <Button kind='quiet' onClick={() => set([...sources.values(), ...listed])}>
          {fill(bulk.all, { n: shownNumber(new Set([...sources.keys(), ...listed.map(({ id }) => id)]).size) })}
        </Button>
      )}
      <span class='grow' />
      <Act icon={CircleCheck} name={bulk.use} busy={run.isBusy} act={() => use(true)} />
      <Act icon={CircleOff} name={bulk.unuse} busy={run.isBusy} act={() => use(false)} />
      <Act
        icon={RotateCcw} name={words.again} busy={run.isBusy}
        act={() => { run.run((one) => api.post(`${at(one)}/train`)) }}
      />
      {places.length > 1 && (
        <Act icon={FolderInput} name={folders.move} busy={run.isBusy} act={() => setMoving(true)} />
      )}
      <Act icon={Trash2} name={words.remove} class='warn' busy={run.isBusy} act={() => { remove() }} />
      <IconButton icon={X} label={bulk.none} onClick={() => set([])} />
      {failed.length > 0 && (
        <p class='error full' role='alert'>
          {fill(bulk.failed, { n: shownNumber(failed.length) })} {failed[0]![0].title}: {sentenceOf(failed[0]![1])}
        </p>
      )}
      {isMoving && (
        <MoveTo
          title={fill(bulk.moveTitle, { n })} places={places} first={places[0]!.id} onClose={() => setMoving(false)}
          move={async (folder) => await run.run((one) => api.put(at(one), { agent_knowledge_folder: folder }))}
        />
      )}
    </section>
  )
}

/** A bulk action; on a phone only its icon is visible. */
function Act ({ name, act, ...rest }: {
  icon: LucideIcon, name: string, busy: boolean, class?: string, act: () => void
}) {
  return <Button kind='quiet' title={name} {...rest} onClick={act}><span class='name'>{name}</span></Button>
}
