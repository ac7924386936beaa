import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Number of rows rendered or skipped together. */
const CHUNK = 25
/** The estimated height of an unrendered row, and how close to the viewport rows are rendered. */
const [ROW_PX, NEAR_PX] = [84, 1000]

/** The rows in chunks, in order. */
export function chunksOf<T> (all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) => all.slice(i * CHUNK, (i + 1) * CHUNK))
}

/**
 * A chunk of a long list, rendered while it is near the viewport and else replaced by a space of its height, so that a
 * list of thousands scrolls like one of fifty. `isKept`: always rendered, as is the chunk that has the focus.
 */
export function Chunk ({ count, isFirst, isKept, children }: {
  count: number, isFirst: boolean, isKept: boolean, children: () => ComponentChildren
}) {
  const ref = useRef<HTMLUListElement>(null)
  const height = useRef(count * ROW_PX)
  const [isNear, setNear] = useState(isFirst)
  useEffect(() => {
    const box = ref.current!
    const watcher = new IntersectionObserver(([entry]) => {
      const isSeen = entry!.isIntersecting || box.contains(document.activeElement)
      if (!isSeen) height.current = entry!.boundingClientRect.height
      setNear(isSeen)
    }, { root: box.closest('.inbox-scroll'), rootMargin: `${NEAR_PX}px 0px` })
    watcher.observe(box)
    return () => watcher.disconnect()
  }, [])
  const isDrawn = isNear || isKept
  return (
    <ul class='list' ref={ref} style={isDrawn ? undefined : { height: `${height.current}px` }} aria-hidden={!isDrawn}>
      {isDrawn && children()}
    </ul>
  )
}
