import { useEffect, useState } from 'preact/hooks'
import { ListFilter } from 'lucide-preact'
import { useResource } from '../../../resource.ts'
import { me } from '../../../session.ts'
import { texts } from '../../../texts/index.ts'
import { listTexts } from '../../../texts/list/index.ts'
import { IconButton } from '../../../ui/button.tsx'
import { short } from '../../../ui/tab.ts'
import { mine } from '../../../calling/mine.ts'
import { isAnyLate, waiting } from '../../../calling/waiting.ts'
import type { Colleague } from '../../../../../../schema/team.ts'
import { VIEWS, type Filter } from '../conversations.ts'
import { choose, chosen } from '../shown/choices.ts'
import { PrioritySelect } from './sort.tsx'

const SEARCH_MS = 250

/** The tabs of the inbox, a search over everything, and further filters. */
export function Filters ({ filter, onChange, agents }: {
  filter: Filter, onChange: (filter: Filter) => void, agents: Array<{ id: number, name: string }>
}) {
  const { inbox, desk } = texts.value
  const { view, search: _search, ...narrowed } = filter
  const isNarrowed = Object.values(narrowed).some((value) => value !== undefined)
  const [isOpen, setOpen] = useState(isNarrowed)
  const counts: Partial<Record<typeof view, number>> = { waiting: waiting.value, mine: mine.value }
  return (
    <>
      <div class='inbox-tabs' role='group' aria-label={inbox.view}>
        {VIEWS.map((one) => (
          <button
            key={one} type='button' aria-pressed={one === view} onClick={() => onChange({ ...filter, view: one })}
          >
            {inbox.views[one]}
            {counts[one]
              ? <Count n={counts[one]} isLate={one === 'waiting' && isAnyLate.value} />
              : null}
          </button>
        ))}
      </div>
      <div class='row inbox-sift'>
        <Search filter={filter} onChange={onChange} />
        <IconButton
          class={isNarrowed ? 'pressed' : ''} label={desk.filter} icon={ListFilter} aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && <Narrowing filter={filter} onChange={onChange} agents={agents} />}
    </>
  )
}

/** How many there are, and whether one of them has waited too long. */
function Count ({ n, isLate }: { n: number, isLate: boolean }) {
  const { desk } = texts.value
  if (!isLate) return <span class='quiet'>{short(n)}</span>
  return <span class='late'>{short(n)}<span class='hidden'> {desk.overdue}</span></span>
}

function Search ({ filter, onChange }: { filter: Filter, onChange: (filter: Filter) => void }) {
  const { inbox } = texts.value
  const [search, setSearch] = useState(filter.search)
  useEffect(() => {
    if (search === filter.search) return
    const timer = setTimeout(() => onChange({ ...filter, search }), SEARCH_MS)
    return () => clearTimeout(timer)
  }, [search, filter])
  return (
    <input
      type='search' aria-label={inbox.search} placeholder={inbox.search} maxLength={200} value={search}
      onInput={(event) => setSearch(event.currentTarget.value)}
    />
  )
}

function Narrowing ({ filter, onChange, agents }: {
  filter: Filter, onChange: (filter: Filter) => void, agents: Array<{ id: number, name: string }>
}) {
  const { inbox, desk, ui } = texts.value
  const { data: tags = [] } = useResource<Array<{ name: string }>>('/tags')
  const { data: colleagues = [] } = useResource<Colleague[]>('/colleagues')
  const number = (value: string) => Number(value) || undefined
  return (
    <div class='inbox-filters'>
      <select
        aria-label={desk.tags} value={filter.tag ?? ''}
        onChange={(event) => onChange({ ...filter, tag: event.currentTarget.value || undefined })}
      >
        <option value=''>{desk.anyTag}</option>
        {tags.map(({ name }) => <option key={name} value={name}>{name}</option>)}
      </select>
      <PrioritySelect
        aria-label={desk.priority} none={desk.anyPriority} value={filter.priority ?? null}
        onChange={(priority) => onChange({ ...filter, priority: priority ?? undefined })}
      />
      <select
        aria-label={desk.assignee} value={filter.assignee ?? ''}
        onChange={(event) => onChange({ ...filter, assignee: number(event.currentTarget.value) })}
      >
        <option value=''>{desk.anyAssignee}</option>
        {colleagues.map(({ user, name }) => (
          <option key={user} value={user}>{user === me.value!.user.id ? ui.you : name}</option>
        ))}
      </select>
      {agents.length > 1 && (
        <select
          aria-label={inbox.agent} value={filter.agent ?? ''}
          onChange={(event) => onChange({ ...filter, agent: number(event.currentTarget.value) })}
        >
          <option value=''>{inbox.allAgents}</option>
          {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      )}
      <label class='row densely'>
        <input
          type='checkbox' role='switch' checked={chosen('dense') ?? false}
          onChange={({ currentTarget: field }) => choose('dense', field.checked)}
        />
        {listTexts().dense}
      </label>
    </div>
  )
}
