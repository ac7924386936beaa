import { useEffect } from 'preact/hooks'
import type { Resource } from '../../resource.ts'

/** A part of the page that reports when it has its final size. */
export interface Part { onCome: () => void }

/** Reports once when all of these were read or failed. */
export function useCome (onCome: () => void, ...read: Array<Pick<Resource<unknown>, 'data' | 'error'>>): void {
  const isThere = read.every(({ data, error }) => data !== undefined || error !== undefined)
  useEffect(() => { if (isThere) onCome() }, [isThere])
}
