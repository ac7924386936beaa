import { useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { ChevronDown } from 'lucide-preact'
import { useAction } from '../../ui/action.ts'
import { Face } from '../../own/face.tsx'
import { Badge } from '../../ui/page.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { calledIn, useVisitor } from '../../people.ts'
import { linkTo } from '../../router.ts'
import { me } from '../../session.ts'
import { unread } from '../../calling/unread.ts'
import { shownSince, useMinute } from '../../texts/clocks.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { listTexts } from '../../texts/list/index.ts'
import { Bulk, isShown, toggled } from './desk/bulk.tsx'
import { Chunk, chunksOf } from './desk/chunk.tsx'
import { Chips, isOverdue } from './desk/chips.tsx'
import { keepPreviews, useHere, usePreview } from './desk/previews.ts'
import { chosen as chosenHere } from './shown/choices.ts'
import { useFolding } from './shown/use-folding.ts'
import { ListSkeleton } from './shown/skeletons.tsx'
import { inOrder, standing, type Filter, type Group, type Held } from './conversations.ts'
import { draftOf } from './drafts.ts'
import { Nothing } from './nothing.tsx'
import type { useList } from './use-list.ts'

/** The conversations, section by section. */
export function List ({ list, filter, onAll, open, nameOf, personOf }: {
  list: ReturnType<typeof useList>
  filter: Filter
  /** Shows all conversations again. */
  onAll: () => void
  open: string | undefined
  nameOf: (agent: number) => string
  personOf: (user: number) => string
}) {
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const [held, hold] = useState<Held>()
  const folding = useFolding(list, filter)
  useEffect(keepPreviews, [])
  // Another tab or filter is another list.
  useEffect(() => hold(undefined), [list.key])
  if (!list.isRead) {
    return list.error
      ? <Failure error={list.error} retry={() => { list.read() }} />
      : <ListSkeleton />
  }
  if (list.parts.every(({ ids }) => ids.length === 0)) return <Nothing filter={filter} onAll={onAll} />
  const all = rowsOf(list)
  // Of what is folded only the open one is listed, and the others do not count as new.
  const now = new Map([...all].map(([name, rows]) =>
    [name, folding.isFolded && name === 'agent' ? rows.filter(({ id }) => id === open) : rows]))
  const { shown, waiting } = standing(held, now)
  const stand = () => hold(new Map([...now].map(([name, rows]) => [name, rows.map(({ id }) => id)])))
  async function more (name: Group['name']) {
    hold(undefined)
    await list.more(name)
  }
  function turn () {
    hold(undefined)
    folding.turn()
  }

  return (
    <div
      class={chosenHere('dense') ? 'inbox-scroll dense' : 'inbox-scroll'}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && stand()}
      onPointerLeave={() => hold(undefined)}
    >
      <Bulk chosen={chosen} onDone={() => choose(new Set())} />
      {waiting > 0 && <Fresh count={waiting} onClick={stand} />}
      {list.error && <Failure error={list.error} retry={() => { list.read() }} />}
      {list.parts.map(({ group, cursor }) => (
        <Part
          key={group.name} group={group} open={open} nameOf={nameOf} personOf={personOf}
          conversations={shown.get(group.name) ?? []} count={all.get(group.name)!.length}
          fold={group.name === 'agent' && folding.canFold ? { isFolded: folding.isFolded, turn } : undefined}
          chosen={chosen} choose={choose}
          more={cursor === null ? undefined : async () => await more(group.name)}
        />
      ))}
    </div>
  )
}

/** The conversations of each section, in order. */
const rowsOf = ({ parts, known }: ReturnType<typeof useList>) => new Map(parts.map(({ group, ids }) =>
  [group.name, inOrder(group, ids.flatMap((id) => known.get(id) ?? []).filter(isShown))]))

/** Says how many new rows wait while the list is pointed at. It lies over the list, so that it moves nothing itself. */
function Fresh ({ count, onClick }: { count: number, onClick: () => void }) {
  return (
    <p class='fresh' role='status'>
      <button type='button' class='button' onClick={onClick}>
        {fill(listTexts().fresh, { n: count })}
      </button>
    </p>
  )
}

function Part ({ group, conversations, count, fold, chosen, choose, open, nameOf, personOf, more }: {
  group: Group
  /** Those listed. */
  conversations: readonly Conversation[]
  count: number
  fold: Fold | undefined
  chosen: ReadonlySet<string>
  choose: (chosen: ReadonlySet<string>) => void
  open: string | undefined
  nameOf: (agent: number) => string
  personOf: (user: number) => string
  more: (() => Promise<void>) | undefined
}) {
  const { inbox, desk, ui } = texts.value
  const showMore = useAction(async () => await more?.())
  const minute = useMinute()
  return (
    <section aria-label={inbox.groups[group.name]}>
      {count > 0 && <Heading text={inbox.groups[group.name]} count={`${count}${more ? '+' : ''}`} fold={fold} />}
      {chunksOf(conversations).map((rows, i) => (
        <Chunk key={i} count={rows.length} isFirst={i === 0} isKept={rows.some(({ id }) => id === open)}>
          {() => rows.map((one) => (
            <li key={one.id} class='choosable'>
              {one.status !== 'closed' && (
                <input
                  type='checkbox' aria-label={desk.chooseOne} checked={chosen.has(one.id)}
                  onChange={() => choose(toggled(chosen, one.id))}
                />
              )}
              <Entry
                conversation={one} isOpen={one.id === open} nameOf={nameOf} personOf={personOf} minute={minute}
              />
            </li>
          ))}
        </Chunk>
      ))}
      {showMore.error && <Failure error={showMore.error} />}
      {more && !fold?.isFolded && <Button kind='quiet' busy={showMore.isBusy} onClick={() => { showMore.run() }}>{ui.more}</Button>}
    </section>
  )
}

/** What a section can be folded with. */
interface Fold { isFolded: boolean, turn: () => void }

/** The name of a section and how many it has; a button if it can be folded. */
function Heading ({ text, count, fold }: { text: string, count: string, fold: Fold | undefined }) {
  const said = <>{text}{' '}<span class='quiet'>{count}</span></>
  return (
    <h2 class='inbox-group'>
      {fold
        ? (
          <button type='button' aria-expanded={!fold.isFolded} onClick={() => fold.turn()}>
            <ChevronDown size={14} aria-hidden='true' />{said}
          </button>
          )
        : said}
    </h2>
  )
}

/** A row of the list: the visitor, the subject, the assignee, and since when. */
function Entry ({ conversation, isOpen, nameOf, personOf }: {
  conversation: Conversation
  isOpen: boolean
  nameOf: (agent: number) => string
  personOf: (user: number) => string
  minute: number
}) {
  const { inbox } = texts.value
  const {
    id, subject, agent, visitor, handled_by: by, person, status, outcome, snoozed_until: until
  } = conversation
  const last = conversation.last_message_at ?? conversation.created_at
  const who = useVisitor(visitor)
  const isHere = useHere(id)
  const said = usePreview(id)
  const speaker = said && {
    visitor: null,
    agent: nameOf(conversation.speaker ?? agent),
    person: said.author && personOf(said.author)
  }[said.role]
  // Events and typing elsewhere do not re-render this row.
  const isUnread = useComputed(() => unread.value.has(id)).value
  const hasDraft = useComputed(() => draftOf(`reply:${id}`).text !== '').value
  const marks = ['inbox-entry', until && 'asleep', isOverdue(conversation) && 'late'].filter(Boolean).join(' ')
  return (
    <a class={marks} data-id={id} href={linkTo(`/inbox/${id}`)} aria-current={isOpen ? 'true' : undefined}>
      <Face id={visitor ?? id} name={who?.name} isHere={isHere} />
      <span class='row'>
        {isUnread && <span class='dot new'><span class='hidden'>{inbox.unread}</span></span>}
        <strong class='grow cut' dir='auto'>{calledIn(conversation, who)}</strong>
        {isHere && <span class='hidden'>{inbox.onSite}</span>}
        {by === 'person' && person !== null && person !== me.value?.user.id && <Holder id={person} name={personOf(person)} />}
        <time class='quiet' dateTime={last}>{shownSince(last)}</time>
      </span>
      <span class='row'>
        <span class='quiet grow lines' dir='auto'>
          {speaker && <><bdi>{speaker}</bdi>{labelled('', '')}</>}
          {said?.text ?? (subject || inbox.noSubject)}
        </span>
      </span>
      <span class='row marks'>
        {status === 'closed' && <Badge>{outcome ? inbox.outcomes[outcome] : inbox.closed}</Badge>}
        {hasDraft && <Badge>{inbox.draft}</Badge>}
        <Chips conversation={conversation} personOf={personOf} />
      </span>
    </a>
  )
}

/** The assigned colleague's avatar. */
function Holder ({ id, name }: { id: number, name: string }) {
  return <span title={name}><Face id={String(id)} name={name} size={20} /><span class='hidden'>{name}</span></span>
}
