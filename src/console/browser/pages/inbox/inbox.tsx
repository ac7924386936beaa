import { useEffect, useState } from 'preact/hooks'
import { isLive } from '../../live.ts'
import type { PageProps } from '../page.ts'
import { useAgents, useNames } from '../../people.ts'
import { nameTab } from '../../ui/tab.ts'
import { texts } from '../../texts/index.ts'
import { Calls, CallsHint } from './calls.tsx'
import { Conversation } from './conversation.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { inOrder, type Filter } from './conversations.ts'
import { Filters } from './desk/filters.tsx'
import { KEYS, KeysDialog } from './desk/keys-dialog.tsx'
import { useListKeys } from './desk/moving.ts'
import { Undo } from './desk/undo.tsx'
import { Duty } from './duty.tsx'
import { List } from './list.tsx'
import { useList } from './use-list.ts'

/** Those that are told before anybody asks. */
const FIRST_KEYS: ReadonlySet<string> = new Set(['next', 'open', 'take', 'close', 'keys'])

/** The inbox: the conversations on one side, the one that is open on the other; on a phone one after the other. */
export default function Inbox ({ params: { id } }: PageProps) {
  const { inbox, nav, app } = texts.value
  const [filter, setFilter] = useState<Filter>({ view: 'all', search: '' })
  const { nameOf, modelOf, agents } = useAgents()
  const personOf = useNames()
  const list = useList(filter)
  const [isHelped, showKeys] = useListKeys()
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
        <Undo />
      </section>
      {id
        ? <Conversation key={id} id={id} nameOf={nameOf} personOf={personOf} modelOf={modelOf} />
        : <Nothing list={list} />}
      {isHelped && <KeysDialog onClose={() => showKeys(false)} />}
    </div>
  )
}

/** Nothing is open: whoever has waited longest, one button away, and the keys that lead through a day. */
function Nothing ({ list }: { list: ReturnType<typeof useList> }) {
  const { inbox, desk } = texts.value
  const queue = list.parts.find(({ group }) => group.name === 'queue')
  const first = queue && inOrder(queue.group, queue.ids.flatMap((one) => list.known.get(one) ?? []))[0]
  return (
    <div class='inbox-none'>
      <div class='stack'>
        {first
          ? <LinkButton kind='main' to={`/inbox/${first.id}`}>{desk.longest}</LinkButton>
          : <p class='quiet'>{inbox.choose}</p>}
        <dl class='keys'>
          {KEYS.filter(([, what]) => FIRST_KEYS.has(what)).map(([key, what]) => [
            <dt key={`${what} key`}><kbd>{key}</kbd></dt>, <dd key={what}>{desk.does[what]}</dd>
          ])}
        </dl>
      </div>
    </div>
  )
}
