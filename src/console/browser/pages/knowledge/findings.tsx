import { useState } from 'preact/hooks'
import type { FeedFinding, FeedLook, TextChange } from '../../../../../schema/feeds.ts'
import { useResource } from '../../resource.ts'
import { fill, labelled, shownAgo, shownNumber, texts } from '../../texts/index.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Line } from '../versions/line.tsx'

const FOUND_TONES = { new: 'good', changed: 'accent', moved: 'plain', gone: 'bad' } as const

/** The findings of the last sync that found changes. */
export function Found ({ agent, last: { found, found_at: at } }: { agent: number, last: FeedLook }) {
  const { feeds } = texts.value
  if (at === null || found.length === 0) return null
  return <Findings agent={agent} summary={fill(feeds.findings, { ago: shownAgo(at) })} all={found} />
}

/** Items deleted at the origin, awaiting approval to be deleted here. */
export function Waiting ({ agent, last: { waiting } }: { agent: number, last: FeedLook }) {
  const { feeds } = texts.value
  if (waiting.length === 0) return null
  return <Findings agent={agent} summary={feeds.whatWouldGo} all={waiting} />
}

function Findings ({ agent, summary, all }: { agent: number, summary: string, all: readonly FeedFinding[] }) {
  const { feeds } = texts.value
  const [open, setOpen] = useState<FeedFinding & { source: number }>()
  return (
    <details>
      <summary>{summary}</summary>
      <ul>
        {all.map((one, n) => {
          const { what, source, title, key, from } = one
          const isShown = source !== null && (what === 'changed' || what === 'gone')
          const label = what === 'gone' ? feeds.whatItSays : feeds.whatChanged
          return (
            <li key={source ?? -n} class='long' dir='auto'>
              <Badge tone={FOUND_TONES[what]}>{feeds.finding[what]}</Badge>{' '}
              {title}{key !== title && <span class='quiet'> · {key}</span>}
              {from !== null && <span class='quiet'> · {fill(feeds.movedFrom, { from })}</span>}
              {isShown && (
                <>{' '}<Button aria-label={labelled(label, title)} onClick={() => setOpen({ ...one, source })}>{label}</Button></>
              )}
            </li>
          )
        })}
      </ul>
      {open && (
        <Dialog wide title={open.title} onClose={() => setOpen(undefined)}>
          <Change agent={agent} source={open.source} />
        </Dialog>
      )}
    </details>
  )
}

/** The changes of a source's text, line by line. */
function Change ({ agent, source }: { agent: number, source: number }) {
  const change = useResource<TextChange>(`/agents/${agent}/knowledge_sources/${source}/change`)
  const { feeds } = texts.value
  return (
    <Loaded from={change} lines={5}>
      {({ state, at, added, removed, is_cut: isCut, hunks }) => (
        <div class='changes'>
          <p class='quiet'>
            {state !== 'changed' && feeds.change[state]}
            {state === 'changed' && at !== null && fill(feeds.changeCounts, {
              added: shownNumber(added), removed: shownNumber(removed), ago: shownAgo(at)
            })}
          </p>
          {hunks.length > 0 && (
            <div class='lines' dir='auto' tabIndex={0} role='group' aria-label={feeds.whatChanged}>
              {hunks.map(({ lines, from_line: from }, n) => (
                <div key={from}>
                  {n > 0 && <p class='quiet'>⋯</p>}
                  {lines.map(({ is, text }, k) => <Line key={k} is={is} text={text} />)}
                </div>
              ))}
            </div>
          )}
          {isCut && <p class='quiet'>{feeds.changeCut}</p>}
        </div>
      )}
    </Loaded>
  )
}
