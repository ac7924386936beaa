import { useEffect } from 'preact/hooks'
import type { Resource } from '../../resource.ts'

/** A part of the page, which tells when it has its size. */
export interface Part { onCome: () => void }

/** Tells once that all of these were read, or could not be. */
export function useCome (onCome: () => void, ...read: Array<Pick<Resource<unknown>, 'data' | 'error'>>): void {
  const isThere = read.every(({ data, error }) => data !== undefined || error !== undefined)
  useEffect(() => { if (isThere) onCome() }, [isThere])
}
