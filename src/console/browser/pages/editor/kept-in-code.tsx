import type { ConfigState } from '../../../../../schema/config.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'

/** Which files manage an agent; undefined while unknown, null if none do. */
export function useKept (agent: number): ConfigState['kept'][number] | null | undefined {
  const { data, error } = useResource<ConfigState>('/config/state')
  if (!data) return error && null
  return data.kept.find(({ kind, id }) => kind === 'agent' && id === agent) ?? null
}

/** Says that files manage it, and whether it can still be changed here. */
export function KeptInCode ({ file, is_locked: isLocked }: Pick<ConfigState['kept'][number], 'file' | 'is_locked'>) {
  const { config } = texts.value
  return <p class='hint'>{fill(isLocked ? config.lockedIn : config.keptIn, { file })}</p>
}
