import { useEffect, useRef } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Folder, KnowledgeSource } from '../../../../../schema/knowledge.ts'
import type { PageProps } from '../page.ts'
import { addressOf } from '../../api.ts'
import { useResource, type Resource } from '../../resource.ts'
import { query, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownBytes, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Pager, type Pages } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { Add } from './add.tsx'
import { Feeds, StaleSources } from './feeds.tsx'
import { FolderBar, placesOf } from './folders.tsx'
import { Search } from './search.tsx'
import { Source } from './source.tsx'

const LIMIT = 50
/** States that the list can be narrowed to, as the server is asked for them. */
const FILTERS = {
  Failed: { status: 'Failed' }, Training: { training_status: 'Processing' }, Success: { training_status: 'Success' }
} as const

/** What an agent knows: add, watch it being trained, look things up. */
export default function Knowledge ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id}>{(agent, { reload }) => <Sources agent={agent} reloadAgent={reload} />}</AgentPage>
}

function Sources ({ agent, reloadAgent }: { agent: Agent, reloadAgent: () => Promise<void> }) {
  const { knowledge } = texts.value
  const id = String(agent.id)
  const route = `/agents/${id}/knowledge_sources`
  const mayManage = may('MANAGE_KNOWLEDGE_BASE')
  const filter = query.value.get('state') as keyof typeof FILTERS | null
  const page = Number(query.value.get('page') ?? 1)
  const folder = query.value.get('folder') ?? ''
  const folders = useResource<Folder[]>(`/agents/${id}/knowledge_folders`)
  const places = placesOf(folders.data ?? [])
  const chosen = places.find((one) => String(one.id) === folder)
  const list = useResource<KnowledgeSource[]>(route, {
    page, limit: LIMIT, ...(folder && { folder }), ...(filter && FILTERS[filter])
  })
  const look = (asked: Looking) => show(id, { state: filter ?? '', folder, ...asked })

  function anew () {
    list.reload()
    reloadAgent()
  }

  useSourceEvents(id, list, anew)
  // What stands below comes once what is above has its place, so that nothing moves; and then it stays.
  const isPlaced = useRef(false)
  isPlaced.current ||= Boolean((list.data || list.error) && (folders.data || folders.error))
  return (
    <>
      {mayManage && <Add route={route} folder={chosen} onAdded={anew} />}
      <Card
        title={knowledge.sources}
        actions={
          agent.knowledge_sources_total > 0 && <Filter chosen={filter ?? ''} go={(state) => look({ state })} />
        }
      >
        <Used agent={agent} />
        {places.length > 0 && (mayManage || places.length > 1) && (
          <FolderBar
            route={`/agents/${id}/knowledge_folders`}
            places={places}
            chosen={chosen}
            mayManage={mayManage}
            choose={(to) => look({ folder: to })}
            onChanged={async () => {
              await folders.reload()
              anew()
            }}
          />
        )}
        <Loaded from={list} lines={4}>
          {(found) =>
            found.length === 0
              ? (
                  filter || folder
                    ? <p class='quiet'>{filter ? knowledge.noneFound : texts.value.folders.empty}</p>
                    : <Empty title={knowledge.none} text={knowledge.noneText} />
                )
              : (
                <>
                  <ul class='list'>
                    {found.map((source) => (
                      <Source
                        key={source.id}
                        route={route}
                        source={source}
                        places={places}
                        mayManage={mayManage}
                        onMoved={anew}
                        onRemoved={anew}
                        onChanged={(next) => list.set(found.map((one) => (one.id === next.id ? next : one)))}
                      />
                    ))}
                  </ul>
                  <Pager pages={list.rest.pagination as Pages} go={(to) => look({ page: to })} />
                </>
                )}
        </Loaded>
      </Card>
      {isPlaced.current && agent.knowledge_sources_total > 0 && <Search id={id} />}
      {isPlaced.current && mayManage && <Feeds id={id} onChanged={anew} />}
      {isPlaced.current && <StaleSources id={id} />}
    </>
  )
}

/** Which sources are looked at; what is chosen anew begins at the first page. */
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
      <meter aria-label={knowledge.usedLabel} min={0} max={limit} high={limit * 0.9} value={used} />
      <span class='quiet'>{fill(knowledge.used, { used: shownBytes(used), limit: shownBytes(limit) })}</span>
    </div>
  )
}

const TOGETHER_MS = 400

/** Follows what happens to the sources, as long as the page is open. */
function useSourceEvents (id: string, list: Resource<KnowledgeSource[]>, anew: () => void) {
  const latest = useRef({ list, anew })
  latest.current = { list, anew }
  useEffect(() => {
    const stream = new EventSource(addressOf(`/agents/${id}/events`))
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      clearTimeout(timer)
      // Of a site a hundred pages may come at once.
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
