import type { Call } from '../../../../../schema/actions.ts'
import { useListing } from '../../listing.ts'
import { linkTo } from '../../router.ts'
import { shownTime, texts } from '../../texts/index.ts'
import { More } from '../../ui/more.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useCome, type Part } from './come.ts'
import { callFailed } from './failed.ts'

const TONES: Partial<Record<Call['state'], 'good' | 'bad' | 'accent'>> = {
  done: 'good', failed: 'bad', unknown: 'bad', asked: 'accent'
}

/** Calls that agents made, newest first. */
export function Calls ({ onCome }: Part) {
  const { acts } = texts.value
  const list = useListing<Call>('/calls')
  useCome(onCome, list.first)
  return (
    <Card title={acts.calls}>
      <p class='quiet'>{acts.callsText}</p>
      <Loaded from={list.first} lines={3}>
        {() => list.items.length === 0
          ? <p class='quiet'>{acts.noCalls}</p>
          : <ul class='list'>{list.items.map((call) => <Entry key={call.id} call={call} />)}</ul>}
      </Loaded>
      <More more={list.more} />
    </Card>
  )
}

function Entry ({ call }: { call: Call }) {
  const { title, state, conversation, created_at: at, error, error_code: code, status } = call
  const { acts } = texts.value
  return (
    <li class='entry'>
      <div class='grow'>
        <strong class='long' dir='auto'>{title}</strong>{' '}
        <Badge tone={TONES[state] ?? 'plain'}>{acts.states[state]}</Badge>
        <p class='quiet'>{shownTime(at)}{status !== null && ` · ${status}`}</p>
        {error && <p class='quiet'>{callFailed({ error, code, isLost: state === 'unknown' })}</p>}
      </div>
      {conversation && <a href={linkTo(`/inbox/${conversation}`)}>{acts.conversation}</a>}
    </li>
  )
}
