import { useEffect, useRef, useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Folder, KnowledgeSource } from '../../../../../schema/knowledge.ts'
import type { PageProps } from '../page.ts'
import { addressOf } from '../../api.ts'
import { useResource, type Resource } from '../../resource.ts'
import { query, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownBytes, shownNumber, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Pager, type Pages } from '../../ui/pager.tsx'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { Add } from './add.tsx'
import { Chosen, useChoice } from './chosen.tsx'
import { Feeds, StaleSources } from './feeds.tsx'
import { FolderBar, placesOf, type Place } from './folders.tsx'
import { Findings, Search, type Found } from './search.tsx'
import { SourceOrSite } from './site-tree.tsx'
import { Named } from './source.tsx'

const LIMIT = 50
/** States to filter the list by, as sent to the server. */
const FILTERS = {
  Failed: { status: 'Failed' }, Training: { training_status: 'Processing' }, Success: { training_status: 'Success' }
} as const

/** An agent's knowledge: add sources, watch the training, search. */
export default function Knowledge ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id}>{(agent, { reload }) => <Sources agent={agent} reloadAgent={reload} />}</AgentPage>
}

function Sources ({ agent, reloadAgent }: { agent: Agent, reloadAgent: () => Promise<void> }) {
  const id = String(agent.id)
  const route = `/agents/${id}/knowledge_sources`
  const mayManage = may('MANAGE_KNOWLEDGE_BASE')
  const filter = query.value.get('state') as keyof typeof FILTERS | null
  const page = Number(query.value.get('page') ?? 1)
  const folder = query.value.get('folder') ?? ''
  const named = query.value.get('source')
  const folders = useResource<Folder[]>(`/agents/${id}/knowledge_folders`)
  const places = placesOf(folders.data ?? [])
  const at = places.find((one) => String(one.id) === folder)
  const list = useResource<KnowledgeSource[]>(route, {
    // Pages of a site are nested below it; a filter by state finds all of them.
    page, limit: LIMIT, ...(folder && { folder }), ...(filter ? FILTERS[filter] : { parent: 0 })
  })
  const [stamp, setStamp] = useState(0)
  const [found, setFound] = useState<Found>()
  const choice = useChoice(id)
  const look = (asked: Looking) => show(id, { state: filter ?? '', folder, ...asked })

  function anew () {
    setStamp((before) => before + 1)
    list.reload()
    reloadAgent()
  }
  async function foldersAnew () {
    await folders.reload()
    anew()
  }

  useSourceEvents(id, list, anew)
  // The parts below appear once those above have their size, so that nothing moves; then they stay.
  const isPlaced = useRef(false)
  const areFoldersKnown = Boolean(folders.data || folders.error)
  isPlaced.current ||= Boolean(list.data || list.error) && areFoldersKnown
  const isEmpty = agent.knowledge_sources_total === 0
  // The controls of the bar appear together, so that nothing in it moves.
  const rest = !isEmpty && areFoldersKnown && (
    <>
      <Search id={id} onFound={setFound} />
      <Filter chosen={filter ?? ''} go={(state) => look({ state })} />
      {places.length > 1 && (
        <FolderBar
          route={`/agents/${id}/knowledge_folders`} places={places} chosen={at} mayManage={mayManage}
          choose={(to) => look({ folder: to })} onChanged={foldersAnew}
        />
      )}
      <Used agent={agent} />
    </>
  )
  return (
    <>
      {mayManage
        ? <Add {...{ route, places, isEmpty, folder: at }} onAdded={anew} onMade={foldersAnew}>{rest}</Add>
        : <div class='sources-bar'>{rest}</div>}
      <Findings found={found} onClose={() => setFound(undefined)} />
      {areFoldersKnown
        ? (
          <List
            {...{ agent, list, stamp, route, places, mayManage, choice, anew }} filter={filter ?? folder} go={look}
            passages={filter ? undefined : at?.no_of_passages}
          />
          )
        : <Card><Skeleton lines={4} /></Card>}
      {named && (
        <Named route={route} id={named} onClose={() => look({ page })} onChanged={mayManage ? anew : undefined} />
      )}
      {isPlaced.current && mayManage && <Feeds id={id} onChanged={anew} />}
      {isPlaced.current && <StaleSources id={id} />}
    </>
  )
}

/** The sources shown, and the bulk actions on the selected ones. */
function List ({ agent, list, stamp, route, places, mayManage, choice, filter, passages, anew, go }: {
  agent: Agent
  list: Resource<KnowledgeSource[]>
  stamp: number
  route: string
  places: Place[]
  mayManage: boolean
  choice: ReturnType<typeof useChoice>
  /** The filter of the list; empty if there is none. */
  filter: string
  /** How many are in the current folder. */
  passages: number | undefined
  anew: () => void
  go: (asked: Looking) => void
}) {
  const { knowledge, folders } = texts.value
  const isState = filter in FILTERS
  // The empty state is the layout of options to add.
  if (agent.knowledge_sources_total === 0 && !filter && mayManage && list.data?.length === 0) return null
  return (
    <div
      class='stack'
      onKeyDown={(event) => {
        const isInLayer = (event.target as Element).closest('dialog, [popover]')
        if (event.key === 'Escape' && choice.sources.size > 0 && !isInLayer) choice.set([])
      }}
    >
      <section class='card' aria-label={knowledge.sources}>
        {Boolean(passages) && <p class='quiet'>{fill(knowledge.passages, { n: shownNumber(passages!) })}</p>}
        <Loaded from={list} lines={4}>
          {(found) => (
            <>
              {found.length === 0 && filter && <p class='quiet'>{isState ? knowledge.noneFound : folders.empty}</p>}
              {found.length === 0 && !filter && <Empty title={knowledge.none} text={knowledge.noneText} />}
              <ul class='list'>
                {found.map((source) => (
                  <SourceOrSite
                    key={source.id} {...{ stamp, route, source, places, mayManage, choice }}
                    onMoved={anew} onRemoved={anew}
                    onChanged={(next) => list.set(found.map((one) => (one.id === next.id ? next : one)))}
                  />
                ))}
              </ul>
              <Pager pages={list.rest.pagination as Pages} go={(to) => go({ page: to })} />
            </>
          )}
        </Loaded>
      </section>
      {mayManage && <Chosen {...{ route, choice, places }} listed={list.data ?? []} onDone={anew} />}
    </div>
  )
}

/** Which sources are shown; a new filter starts at the first page. */
interface Looking { state?: string, folder?: string, page?: number }

function show (id: string, { state, folder, page = 1 }: Looking) {
  const asked = new URLSearchParams({
    ...(state && { state }), ...(folder && { folder }), ...(page > 1 && { page: String(page) })
  })
  replace(`/agents/${id}/knowledge${asked.size > 0 ? `?${asked}` : ''}`)
}

function Filter ({ chosen, go }: { chosen: string, go: (state: string) => void }) {
  const { knowledge } = texts.value
  return (
    <select aria-label={knowledge.filter} value={chosen} onChange={(event) => go(event.currentTarget.value)}>
      <option value=''>{knowledge.all}</option>
      {(Object.keys(FILTERS) as Array<keyof typeof FILTERS>).map((one) => (
        <option key={one} value={one}>{knowledge.state[one]}</option>
      ))}
    </select>
  )
}

function Used ({ agent: { total_training_usage_bytes: used, max_training_usage_bytes: limit } }: { agent: Agent }) {
  const { knowledge } = texts.value
  return (
    <div class='used'>
      <span class='quiet'>{fill(knowledge.used, { used: shownBytes(used), limit: shownBytes(limit) })}</span>
      <meter aria-label={knowledge.usedLabel} min={0} max={limit} high={limit * 0.9} value={used} />
    </div>
  )
}

const TOGETHER_MS = 400

/** Follows changes of the sources while the page is open. */
function useSourceEvents (id: string, list: Resource<KnowledgeSource[]>, anew: () => void) {
  const latest = useRef({ list, anew })
  latest.current = { list, anew }
  useEffect(() => {
    const stream = new EventSource(addressOf(`/agents/${id}/events`))
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      clearTimeout(timer)
      // A site may bring a hundred pages at once.
      timer = setTimeout(() => latest.current.anew(), TOGETHER_MS)
    }
    stream.addEventListener('source', soon)
    stream.addEventListener('removed', soon)
    stream.onopen = soon
    return () => {
      clearTimeout(timer)
      stream.close()
    }
  }, [id])
}
