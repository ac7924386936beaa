import type { ConfigState } from '../../../../../schema/config.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'

/** Where files keep an agent; undefined while that is not known, null where none does. */
export function useKept (agent: number): ConfigState['kept'][number] | null | undefined {
  const { data, error } = useResource<ConfigState>('/config/state')
  if (!data) return error && null
  return data.kept.find(({ kind, id }) => kind === 'agent' && id === agent) ?? null
}

/** Says that files keep it, and whether it can be changed here all the same. */
export function KeptInCode ({ file, is_locked: isLocked }: Pick<ConfigState['kept'][number], 'file' | 'is_locked'>) {
  const { config } = texts.value
  return <p class='hint'>{fill(isLocked ? config.lockedIn : config.keptIn, { file })}</p>
}
