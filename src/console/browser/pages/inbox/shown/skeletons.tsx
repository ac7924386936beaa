import type { ComponentChildren } from 'preact'
import { texts } from '../../../texts/index.ts'

/** Rows of the list: as many as fill most screens, none of which needs to be scrolled to. */
const ROWS = 7
/** Who says what in a conversation that is being loaded: lines of each bubble. */
const TALK = [['visitor', 2], ['agent', 3], ['visitor', 1], ['person', 2], ['visitor', 2]] as const

const lines = (count: number) => Array.from({ length: count }, (_none, i) => <i key={i} />)

/** The list while it is loading, in the shape of its rows; seen once that takes long enough to be noticed. */
export function ListSkeleton () {
  return (
    <div class='coming' role='status' aria-busy='true' aria-label={texts.value.ui.loading}>
      {Array.from({ length: ROWS }, (_none, i) => (
        <div key={i} class='coming-row'><b /><span>{lines(3)}</span></div>
      ))}
    </div>
  )
}

/** A conversation while it is loading: its header, with the way back, and bubbles at both sides. */
export function TalkSkeleton ({ children }: { children: ComponentChildren }) {
  return (
    <div class='coming' aria-busy='true'>
      <p class='hidden' role='status'>{texts.value.ui.loading}</p>
      <div class='inbox-head'>{children}<b /><span>{lines(2)}</span></div>
      <div class='coming-talk'>
        {TALK.map(([role, count], i) => <span key={i} class={`coming-said ${role}`}>{lines(count)}</span>)}
      </div>
    </div>
  )
}
