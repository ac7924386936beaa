import { ChevronLeft, ChevronRight } from 'lucide-preact'
import { fill, shownNumber, texts } from '../texts/index.ts'
import { IconButton } from './button.tsx'

/** Which part of a list an answer holds. */
export interface Pages { page: number, limit: number, total: number, pages: number }

/** Links to the other pages of a list, if there are any. */
export function Pager ({ pages: { page, limit, total, pages }, go }: { pages: Pages, go: (page: number) => void }) {
  const { agents: say } = texts.value
  if (pages <= 1) return null
  const range = {
    from: shownNumber((page - 1) * limit + 1),
    to: shownNumber(Math.min(page * limit, total)),
    total: shownNumber(total)
  }
  return (
    <nav class='pager' aria-label={fill(say.range, range)}>
      <span class='quiet'>{fill(say.range, range)}</span>
      <IconButton label={say.previous} icon={ChevronLeft} disabled={page <= 1} onClick={() => go(page - 1)} />
      <IconButton label={say.next} icon={ChevronRight} disabled={page >= pages} onClick={() => go(page + 1)} />
    </nav>
  )
}
