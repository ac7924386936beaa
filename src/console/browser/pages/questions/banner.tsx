import type { CheckRun } from '../../../../../schema/checks.ts'
import { useResource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { fill, texts } from '../../texts/index.ts'

/** Number of runs searched for the last one of the live version. */
const LOOKED_AT = 10

/** Reports that the agent's knowledge has changed, and which results got worse. */
export function WorseBanner ({ agent }: { agent: number }) {
  const runs = useResource<CheckRun[]>(`/agents/${agent}/runs`, { limit: LOOKED_AT })
  const last = runs.data?.find(({ of, state }) => of === 'live' && state === 'done')
  if (!last || last.worse === 0) return null
  const { checks } = texts.value
  return (
    <p class='notice' role='status'>
      {fill(checks.worse, { n: last.worse })} <a href={linkTo(`/agents/${agent}/questions`)}>{checks.see}</a>
    </p>
  )
}
