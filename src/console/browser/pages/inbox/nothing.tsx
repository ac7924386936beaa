import { texts } from '../../texts/index.ts'
import { listTexts } from '../../texts/list/index.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Filter } from './conversations.ts'

/** A list without a conversation: why, and a button that leads out of a tab or of filters. */
export function Nothing ({ filter: { view, search, ...narrowed }, onAll }: { filter: Filter, onAll: () => void }) {
  const { inbox } = texts.value
  const { all, empty } = listTexts()
  const isNarrowed = search !== '' || Object.values(narrowed).some((value) => value !== undefined)
  if (view === 'all' && !isNarrowed) return <Empty title={inbox.empty} text={inbox.emptyText} />
  const said = isNarrowed || view === 'all' ? { title: inbox.nothing, text: '' } : empty[view]
  return <Empty {...said}><Button onClick={onAll}>{all}</Button></Empty>
}
