import { useEffect, useState } from 'preact/hooks'
import { isLive } from '../../live.ts'
import type { PageProps } from '../page.ts'
import { useAgents, useNames } from '../../people.ts'
import { nameTab } from '../../ui/tab.ts'
import { texts } from '../../texts/index.ts'
import { Calls, CallsHint } from './calls.tsx'
import { Conversation } from './conversation.tsx'
import { VIEWS, type Filter, type View } from './conversations.ts'
import { Duty } from './duty.tsx'
import { List } from './list.tsx'
import { useList } from './use-list.ts'

const SEARCH_MS = 250

/** The inbox: the conversations on one side, the one that is open on the other; on a phone one after the other. */
export default function Inbox ({ params: { id } }: PageProps) {
  const { inbox, nav, app } = texts.value
  const [filter, setFilter] = useState<Filter>({ view: 'current', agent: undefined, search: '' })
  const { nameOf, modelOf, agents } = useAgents()
  const personOf = useNames()
  const list = useList(filter)
  useEffect(() => nameTab(nav.inbox), [nav.inbox])
  return (
    <div class={id ? 'inbox open' : 'inbox'}>
      <h1 class='hidden' tabIndex={-1}>{nav.inbox}</h1>
      <section class='inbox-list' aria-label={inbox.list}>
        <header>
          <div class='page-head'>
            <span class='inbox-title' aria-hidden='true'>{nav.inbox}</span>
            <span class='inbox-here'><Duty /><Calls /></span>
          </div>
          <CallsHint />
          <Filters filter={filter} onChange={setFilter} agents={agents} />
          {!isLive.value && <p class='hint' role='status'>{app.notLive}</p>}
        </header>
        <List list={list} filter={filter} open={id} nameOf={nameOf} personOf={personOf} />
      </section>
      {id
        ? <Conversation key={id} id={id} nameOf={nameOf} personOf={personOf} modelOf={modelOf} />
        : <div class='inbox-none'><p class='quiet'>{inbox.choose}</p></div>}
    </div>
  )
}

function Filters ({ filter, onChange, agents }: {
  filter: Filter, onChange: (filter: Filter) => void, agents: Array<{ id: number, name: string }>
}) {
  const { inbox } = texts.value
  const [search, setSearch] = useState(filter.search)
  useEffect(() => {
    if (search === filter.search) return
    const timer = setTimeout(() => onChange({ ...filter, search }), SEARCH_MS)
    return () => clearTimeout(timer)
  }, [search, filter])
  return (
    <div class='inbox-filters'>
      <select
        aria-label={inbox.view} value={filter.view}
        onChange={(event) => onChange({ ...filter, view: event.currentTarget.value as View })}
      >
        {VIEWS.map((view) => <option key={view} value={view}>{inbox.views[view]}</option>)}
      </select>
      {agents.length > 1 && (
        <select
          aria-label={inbox.agent} value={filter.agent ?? ''}
          onChange={(event) => onChange({ ...filter, agent: Number(event.currentTarget.value) || undefined })}
        >
          <option value=''>{inbox.allAgents}</option>
          {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      )}
      <input
        type='search' aria-label={inbox.search} placeholder={inbox.search} maxLength={200} value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
    </div>
  )
}
