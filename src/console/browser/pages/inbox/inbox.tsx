import { useEffect, useState } from 'preact/hooks'
import type { Conversation as Known } from '../../../../../schema/conversations.ts'
import { isLive } from '../../live.ts'
import { Face } from '../../own/face.tsx'
import type { PageProps } from '../page.ts'
import { calledIn, useAgents, useNames, useVisitor } from '../../people.ts'
import { nameTab } from '../../ui/tab.ts'
import { shownSince, useMinute } from '../../texts/clocks.ts'
import { texts } from '../../texts/index.ts'
import { Calls, CallsHint } from './calls.tsx'
import { Conversation } from './conversation.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { inOrder, type Filter } from './conversations.ts'
import { Filters } from './desk/filters.tsx'
import { keyCalled, KEYS, KeysDialog } from './desk/keys-dialog.tsx'
import { useListKeys } from './desk/moving.ts'
import { Undo } from './desk/undo.tsx'
import { Duty } from './duty.tsx'
import { List } from './list.tsx'
import './shown/sheet.ts'
import { useList } from './use-list.ts'

/** Shortcuts shown without opening the dialog. */
const FIRST_KEYS: ReadonlySet<string> = new Set(['next', 'open', 'take', 'close', 'keys'])

const ALL: Filter = { view: 'all', search: '' }

/** The inbox: the conversations on one side, the one that is open on the other; on a phone one after the other. */
export default function Inbox ({ params: { id } }: PageProps) {
  const { inbox, nav, app } = texts.value
  const [filter, setFilter] = useState(ALL)
  // Clearing the filters rebuilds them: what was being typed into the search does not come back.
  const [round, setRound] = useState(0)
  const { nameOf, modelOf, agents } = useAgents()
  const personOf = useNames()
  const list = useList(filter)
  const [isHelped, showKeys] = useListKeys()
  useEffect(() => nameTab(nav.inbox), [nav.inbox])

  /** The button that does this disappears with what it cleared: focus moves to the tab. */
  function showAll () {
    setFilter(ALL)
    setRound(round + 1)
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.inbox-tabs [aria-pressed=true]')?.focus())
  }

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
          <Filters key={round} filter={filter} onChange={setFilter} agents={agents} />
          {!isLive.value && <p class='hint' role='status'>{app.notLive}</p>}
        </header>
        <List list={list} filter={filter} onAll={showAll} open={id} nameOf={nameOf} personOf={personOf} />
        <Undo />
      </section>
      {id
        ? <Conversation key={id} id={id} nameOf={nameOf} personOf={personOf} modelOf={modelOf} />
        : <NoneOpen list={list} />}
      {isHelped && <KeysDialog onClose={() => showKeys(false)} />}
    </div>
  )
}

/** Who has waited longest, since when, and a button to their conversation. */
function Longest ({ conversation }: { conversation: Known }) {
  const visitor = useVisitor(conversation.visitor)
  useMinute()
  const since = conversation.last_message_at ?? conversation.created_at
  return (
    <>
      <p class='row'>
        <Face id={conversation.visitor ?? conversation.id} name={visitor?.name} />
        <strong dir='auto'>{calledIn(conversation, visitor)}</strong>
        <time class='quiet' dateTime={since}>{shownSince(since)}</time>
      </p>
      <LinkButton kind='main' to={`/inbox/${conversation.id}`}>{texts.value.desk.longest}</LinkButton>
    </>
  )
}

/** No conversation is open: a button to the longest waiting one, and the main keyboard shortcuts. */
function NoneOpen ({ list }: { list: ReturnType<typeof useList> }) {
  const { inbox, desk } = texts.value
  const queue = list.parts.find(({ group }) => group.name === 'queue')
  const first = queue && inOrder(queue.group, queue.ids.flatMap((one) => list.known.get(one) ?? []))[0]
  return (
    <div class='inbox-none'>
      <div class='stack'>
        {first
          ? <Longest conversation={first} />
          : <p class='quiet'>{inbox.choose}</p>}
        <dl class='keys'>
          {KEYS.filter(([, what]) => FIRST_KEYS.has(what)).map(([key, what]) => [
            <dt key={`${what} key`}><kbd>{keyCalled(key)}</kbd></dt>, <dd key={what}>{desk.does[what]}</dd>
          ])}
        </dl>
      </div>
    </div>
  )
}
