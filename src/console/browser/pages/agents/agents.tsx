import { useEffect, useState } from 'preact/hooks'
import { Plus } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import { useResource } from '../../resource.ts'
import { linkTo, query, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownAgo, shownNumber, texts } from '../../texts/index.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Badge, Page } from '../../ui/page.tsx'
import { Pager, type Pages } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { kindCalled } from '../editor/fields.ts'
import { NewAgent } from './new-agent.tsx'

const LIMIT = 50
const TYPING_MS = 250

/** All agents of the account; the search is in the address. */
export default function Agents () {
  const { agents: say } = texts.value
  const [isMaking, setMaking] = useState(query.value.has('new'))
  const search = query.value.get('search') ?? ''
  const status = query.value.get('status') ?? ''
  const category = query.value.get('category') ?? ''
  const asked = { search, status, category }
  const page = Number(query.value.get('page') ?? 1)
  const list = useResource<Agent[]>('/agents', { page, limit: LIMIT, search, status, agent_category: category })
  const isFiltered = search !== '' || status !== '' || category !== ''
  const add = may('MANAGE_AGENTS') && (
    <>
      <LinkButton to='/imports'>{texts.value.bring.title}</LinkButton>
      <Button kind='main' icon={Plus} onClick={() => setMaking(true)}>{say.add}</Button>
    </>
  )
  return (
    <Page title={say.title} actions={add}>
      <Filter asked={asked} found={list.data ?? []} />
      <Loaded from={list} lines={6}>
        {(found) =>
          found.length === 0
            ? (
              <Empty title={isFiltered ? say.noneFound : say.none} text={isFiltered ? say.noneFoundText : say.noneText}>
                {!isFiltered && add}
              </Empty>
              )
            : (
              <section class='card flush' aria-label={say.title}>
                <ul class='list'>{found.map((agent) => <Row key={agent.id} agent={agent} />)}</ul>
                <Pager pages={list.rest.pagination as Pages} go={(to) => show({ ...asked, page: to })} />
              </section>
              )}
      </Loaded>
      {isMaking && <NewAgent onClose={() => setMaking(false)} />}
    </Page>
  )
}

interface Asked { search: string, status: string, category: string }

function show ({ search, status, category, page = 1 }: Asked & { page?: number }) {
  const asked = new URLSearchParams({
    ...(search && { search }),
    ...(status && { status }),
    ...(category && { category }),
    ...(page > 1 && { page: String(page) })
  })
  replace(`/agents${asked.size > 0 ? `?${asked}` : ''}`)
}

/** `found`: the agents shown, from which the categories to choose from are taken. */
function Filter ({ asked, found }: { asked: Asked, found: Agent[] }) {
  const { agents: say } = texts.value
  const { search, status, category } = asked
  const [typed, setTyped] = useState(search)
  const categories = [...new Set([category, ...found.map((agent) => agent.agent_category)])].filter(Boolean).sort()
  useEffect(() => {
    if (typed === search) return
    const timer = setTimeout(() => show({ ...asked, search: typed }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div class='row' role='search'>
      <input
        class='grow'
        type='search'
        aria-label={say.search}
        placeholder={say.search}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <select
        aria-label={say.state}
        value={status}
        onChange={(event) => show({ ...asked, search: typed, status: event.currentTarget.value })}
      >
        <option value=''>{say.allStates}</option>
        <option value='Active'>{say.active}</option>
        <option value='Inactive'>{say.inactive}</option>
      </select>
      {(category !== '' || categories.length > 1) && (
        <select
          aria-label={say.category}
          value={category}
          onChange={(event) => show({ ...asked, search: typed, category: event.currentTarget.value })}
        >
          <option value=''>{say.allCategories}</option>
          {categories.map((one) => <option key={one} value={one}>{kindCalled(one)}</option>)}
        </select>
      )}
    </div>
  )
}

function Row ({
  agent: { id, name, description, status, knowledge_sources_total: sources, conversations, updated_at: updated }
}: {
  agent: Agent
}) {
  const { agents: say } = texts.value
  return (
    <li>
      <a class='item' href={linkTo(`/agents/${id}`)}>
        <span class='grow'>
          <strong class='cut'>{name}</strong>
          {description && <span class='cut quiet'>{description}</span>}
          <span class='quiet facts'>
            <span>{fill(say.sources, { n: shownNumber(sources) })}</span>
            <span>{fill(say.conversations, { n: shownNumber(conversations) })}</span>
            <span>{fill(say.changed, { when: shownAgo(updated) })}</span>
          </span>
        </span>
        <Badge tone={status === 'Active' ? 'good' : 'plain'}>{status === 'Active' ? say.active : say.inactive}</Badge>
      </a>
    </li>
  )
}
