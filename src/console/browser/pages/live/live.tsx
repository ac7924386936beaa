import { useState } from 'preact/hooks'
import { CircleAlert, CircleCheck, RefreshCw } from 'lucide-preact'
import type { GoingLive, LiveCheck } from '../../../../../schema/going-live.ts'
import { useResource } from '../../resource.ts'
import { fill, shownNumber, shownTime, texts, type Texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { GROUPS, stepOf, type Step } from './steps.ts'

/** What stops the account from going live: each line is fulfilled or has one next step. */
export default function Live () {
  const { live, nav } = texts.value
  const found = useResource<GoingLive>('/going_live')
  const again = useAction(found.reload)
  return (
    <Page
      title={nav.live}
      actions={<Button icon={RefreshCw} busy={again.isBusy} onClick={() => { again.run() }}>{live.again}</Button>}
    >
      <Loaded from={found} lines={12}>{(now) => <Checked {...now} />}</Loaded>
    </Page>
  )
}

function Checked ({ checked_at: at, left, checks }: GoingLive) {
  const { live } = texts.value
  const [shown, setShown] = useState<LiveCheck>()
  const first = checks.find(({ ok }) => !ok)
  return (
    <>
      <p class='quiet live-sum' role='status'>
        {left === 0 ? live.ready : fill(live.left, { left, all: checks.length })}{' '}
        {fill(live.checked, { when: shownTime(at) })}
      </p>
      {(Object.keys(GROUPS) as Array<keyof Texts['live']['groups']>).map((group) => {
        const own = checks.filter(({ check }) => GROUPS[group].includes(check))
        return (
          <section key={group} class='card live' aria-label={live.groups[group]}>
            <header>
              <h2>{live.groups[group]}</h2>
              <span class='quiet'>
                {fill(live.count, { done: own.filter(({ ok }) => ok).length, all: own.length })}
              </span>
            </header>
            <ul class='plain'>
              {own.map((one) => (
                <Line key={one.check} found={one} isFirst={one === first} show={() => setShown(one)} />
              ))}
            </ul>
          </section>
        )
      })}
      {shown && <How found={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function Line ({ found, isFirst, show }: { found: LiveCheck, isFirst: boolean, show: () => void }) {
  const { live } = texts.value
  const { check, ok } = found
  const step = stepOf(found)
  return (
    <li class={ok ? 'live-line' : 'live-line left'}>
      {ok
        ? <CircleCheck size={20} class='good' aria-label={live.good} />
        : <CircleAlert size={20} class='bad' aria-label={live.bad} />}
      <strong>{live.names[check]}</strong>
      <span class='live-truth'>{truthOf(found)}</span>
      {step && <Next step={step} name={live.names[check]} kind={kindOf(ok, isFirst)} show={show} />}
    </li>
  )
}

function kindOf (isFine: boolean, isFirst: boolean) {
  if (isFine) return 'quiet'
  return isFirst ? 'main' : 'plain'
}

function Next ({
  step, name, kind, show
}: {
  step: Step, name: string, kind: 'main' | 'plain' | 'quiet', show: () => void
}) {
  const { live } = texts.value
  if (step.kind === 'page') return <LinkButton kind={kind} to={step.to}>{live.verbs[step.verb]}</LinkButton>
  return <Button kind={kind} aria-label={fill(live.howOf, { name })} onClick={show}>{live.how}</Button>
}

/** Steps for the server's operator, to be copied and passed on. */
function How ({ found, onClose }: { found: LiveCheck, onClose: () => void }) {
  const { live, ui } = texts.value
  const step = stepOf(found)
  if (!step || step.kind === 'page') return null
  const lines = step.lines.join('\n')
  return (
    <Dialog title={live.names[found.check]} onClose={onClose}>
      <p>{truthOf(found)}</p>
      <p>{live[step.kind]}</p>
      <pre tabIndex={0}>{lines}</pre>
      <footer><CopyButton text={lines} label={ui.copy} /></footer>
    </Dialog>
  )
}

/** A finding as a sentence. */
function truthOf ({ finding, values }: LiveCheck): string {
  const shown = Object.entries(values).map(([name, value]): [string, string] => {
    if (name === 'at') return [name, shownTime(String(value))]
    return [name, typeof value === 'number' ? shownNumber(value) : value]
  })
  return fill(texts.value.live.found[finding], Object.fromEntries(shown))
}
